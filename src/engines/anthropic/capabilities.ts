/** What an endpoint understands beyond the common subset of the Messages API; only that is sent. */
export interface Capabilities {
  /** `cache_control` on blocks. */
  promptCache: boolean;
  /** `output_config.effort`. */
  effort: boolean;
  /** `thinking: {type: 'adaptive'}`. */
  thinking: boolean;
  /** Tokens that request and reply may hold together. */
  contextWindow: number;
  /** Most tokens of one reply. */
  maxOutput: number;
}

export type EndpointName = keyof typeof ENDPOINTS;

/** `anthropic` is the API itself and gateways to its models; `compatible` every other server: Ollama, llama.cpp, LM Studio, vLLM. */
export const ENDPOINTS = {
  anthropic: { promptCache: true, effort: true, thinking: true, contextWindow: 200_000, maxOutput: 32_000 },
  compatible: { promptCache: false, effort: false, thinking: false, contextWindow: 32_768, maxOutput: 8_192 },
} as const satisfies Record<string, Capabilities>;

export const DEFAULT_BASE_URL = 'https://api.anthropic.com';

/** The endpoint behind a base URL, where nobody has named one: servers of other models take no more than the common subset. */
export function endpointOf(baseUrl: string, model: string): EndpointName {
  return isAnthropicHost(baseUrl) || model.startsWith('claude-') ? 'anthropic' : 'compatible';
}

export function isAnthropicHost(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl);
  return hostname === 'anthropic.com' || hostname.endsWith('.anthropic.com');
}
