/** UTF-8 bytes per token: a safe bound for Markdown and code, where four would be far too many. */
const BYTES_PER_TOKEN = 2.5;

/** Tokens a text takes at the most. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text, 'utf8') / BYTES_PER_TOKEN);
}
