import { describe, expect, it } from 'vitest';
import { EngineError } from '../../src/errors.ts';
import type { Provider, TurnRequest } from '../../src/model/engine.ts';

export interface ProviderSubject {
  /** A provider that answers this turn, however often it is asked. */
  provider: Provider;
  request: TurnRequest;
  /** A turn it cannot answer at all. */
  impossible: TurnRequest;
  /** A turn that takes long. */
  slow: TurnRequest;
}

/** What every provider must keep, as `src/model/engine.ts` states it. */
export function describeProviderContract(name: string, make: () => Promise<ProviderSubject>): void {
  describe(`${name} as a provider`, () => {
    it('gives the same reply to the same request', async () => {
      const { provider, request } = await make();
      const context = { signal: new AbortController().signal };
      expect(await provider.complete(request, context)).toEqual(await provider.complete(request, context));
    });

    it('gives a reply that survives being written down', async () => {
      const { provider, request } = await make();
      const reply = await provider.complete(request, { signal: new AbortController().signal });
      expect(JSON.parse(JSON.stringify(reply))).toEqual(reply);
      for (const key of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) expect(reply.usage[key]).toBeGreaterThanOrEqual(0);
      const ids = reply.content.flatMap((block) => (block.type === 'tool-call' ? [block.id] : []));
      expect(new Set(ids).size).toBe(ids.length);
      expect(reply.stop === 'tool-calls').toBe(ids.length > 0);
    });

    it('does not change the request', async () => {
      const { provider, request } = await make();
      const before = structuredClone(request);
      await provider.complete(request, { signal: new AbortController().signal });
      expect(request).toEqual(before);
    });

    it('rejects with EngineError for what it cannot answer', async () => {
      const { provider, impossible } = await make();
      await expect(provider.complete(impossible, { signal: new AbortController().signal })).rejects.toThrow(EngineError);
    });

    it('rejects with the abort reason, before and while it works', async () => {
      const { provider, request, slow } = await make();
      const reason = new Error('stop');
      await expect(provider.complete(request, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      const controller = new AbortController();
      const pending = provider.complete(slow, { signal: controller.signal });
      setTimeout(() => controller.abort(reason), 20);
      await expect(pending).rejects.toBe(reason);
    });
  });
}
