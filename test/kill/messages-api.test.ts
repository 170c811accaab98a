import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMessagesApi, type MessagesApi } from '../fakes/messages-api.mjs';
import { answerFromTranscript } from '../fakes/replies.mjs';
import { KEY, stageOf } from '../helpers/api.ts';
import { makeProject, type TestProject } from '../helpers/project.ts';
import { begin, endOf, inParallel, start, STRIDE, SUBJECT, turnsOf } from './subject.ts';

interface Server {
  api: MessagesApi;
  /** Requests by `stage.turn`, in order. */
  asked(): string[];
}

async function serve(): Promise<Server> {
  const api = await startMessagesApi({ answer: answerFromTranscript(SUBJECT.replies() as never), key: KEY });
  const asked = (): string[] =>
    api.requests.map(({ body }) => {
      const { messages } = body as { messages: { role: string; content: unknown }[] };
      return `${stageOf({ messages })}.1.${messages.filter(({ role }) => role === 'assistant').length + 1}`;
    });
  return { api, asked };
}

const run = (project: TestProject, dieAt: number, { api }: Server) =>
  start(project, dieAt, { engine: 'anthropic' }, { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url });

describe('a run with the Messages API that is killed with SIGKILL', () => {
  let reference: { end: unknown; points: number; turns: string[] };
  let whole: TestProject;

  beforeAll(async () => {
    whole = makeProject({ from: SUBJECT.folder });
    const server = await serve();
    const ended = await run(whole, 0, server);
    expect(ended.stderr).toBe('');
    reference = { end: endOf(whole), points: (JSON.parse(ended.stdout) as { points: number }).points, turns: turnsOf(whole) };
    expect(server.asked()).toEqual(reference.turns);
    await server.api.close();
  });

  afterAll(() => whole.remove());

  it(
    'ends in the same tree; a recorded reply is not asked for again, one in flight at most once more',
    { timeout: 3_600_000 },
    async () => {
      const offset = Math.min(5, STRIDE - 1);
      const points = Array.from({ length: reference.points }, (_, index) => index + 1).filter((point) => point % STRIDE === offset);
      const failures: string[] = [];
      await inParallel(points, async (point) => {
        const project = makeProject({ from: SUBJECT.folder });
        const server = await serve();
        const killed = await run(project, point, server);
        const recorded = turnsOf(project);
        const askedBefore = server.asked();
        const resumed = await run(project, 0, server);
        try {
          expect(killed.signal).toBe('SIGKILL');
          expect(resumed).toMatchObject({ code: 0, stderr: '' });
          expect(endOf(project)).toEqual(reference.end);
          expect(turnsOf(project)).toEqual(reference.turns);
          const askedAfter = server.asked().slice(askedBefore.length);
          expect(askedAfter.filter((turn) => recorded.includes(turn))).toEqual([]);
          expect(askedAfter.filter((turn) => askedBefore.includes(turn)).length).toBeLessThanOrEqual(1);
          expect(new Set(askedAfter).size).toBe(askedAfter.length);
          expect({ refused: server.api.refusals, failed: server.api.failures }).toEqual({ refused: [], failed: [] });
        } catch (error) {
          failures.push(
            `point ${point} (${killed.stdout.trim()}): ${(error as Error).message.slice(0, 1000)} ${resumed.stderr.slice(0, 500)}`,
          );
        } finally {
          await server.api.close();
          project.remove();
        }
      });
      expect(failures).toEqual([]);
    },
  );

  it('amid any of its streams asks for that reply once more, and for no other', { timeout: 600_000 }, async () => {
    const failures: string[] = [];
    await inParallel(
      reference.turns.map((_, index) => index),
      async (index) => {
        const project = makeProject({ from: SUBJECT.folder });
        const recorded = answerFromTranscript(SUBJECT.replies() as never);
        let kill = (): void => undefined;
        const api = await startMessagesApi({
          key: KEY,
          answer: (body, at) => {
            if (at !== index) return recorded(body);
            // Half of it arrives, then the one who asked is gone.
            setTimeout(() => kill(), 150);
            return { ...recorded(body), modelTime: 60_000 };
          },
        });
        const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url };
        const victim = begin(project, 0, { engine: 'anthropic' }, env);
        kill = victim.kill;
        const killed = await victim.ended;
        const resumed = await start(project, 0, { engine: 'anthropic' }, env);
        try {
          expect(killed.signal).toBe('SIGKILL');
          expect(resumed).toMatchObject({ code: 0 });
          expect(endOf(project)).toEqual(reference.end);
          expect(api.requests).toHaveLength(reference.turns.length + 1);
        } catch (error) {
          failures.push(`request ${index}: ${(error as Error).message.slice(0, 800)} ${resumed.stderr.slice(0, 300)}`);
        } finally {
          await api.close();
          project.remove();
        }
      },
    );
    expect(failures).toEqual([]);
  });
});
