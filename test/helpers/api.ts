import { startMessagesApi, type Answer, type MessagesApi, type MessagesApiOptions } from '../fakes/messages-api.mjs';
import { answerFromTranscript } from '../fakes/replies.mjs';
import { smallReplies } from '../fixtures/small.replies.mjs';
import type { CliResult, TestProject, TranscriptTurn } from './project.ts';
import { BRIEF_TEXT, smallProject } from './small.ts';

export const KEY = 'sk-ant-loopback-0123456789abcdef';

/** Text that a request holds at the end: what the model was told last. */
export function lastMessage(body: { messages: { content: unknown }[] }): string {
  return JSON.stringify(body.messages.at(-1)?.content);
}

export function stageOf(body: { messages: { content: unknown }[] }): string | undefined {
  return /# Stage ([a-z0-9-]+):/.exec(JSON.stringify(body.messages[0]?.content))?.[1];
}

/** Answers as recorded, but for a stage where these come first; what was recorded of it follows them. */
export function answersWith(
  first: Record<string, Answer[]>,
  turns: TranscriptTurn[] = smallReplies() as TranscriptTurn[],
): MessagesApiOptions['answer'] {
  // A refused or broken-off answer leaves no message behind, so it moves no turn.
  const messages = (stage: string): number => (first[stage] ?? []).filter((answer) => 'content' in answer || 'sse' in answer).length;
  const shifted = turns.map((turn) => ({ ...turn, turn: turn.turn + messages(turn.stage) }));
  const recorded = answerFromTranscript(shifted as never);
  const given: Record<string, number> = {};
  return (body) => {
    const stage = stageOf(body as never) ?? '';
    const own = first[stage] ?? [];
    const at = (given[stage] ??= 0);
    const next = own[at];
    if (next === undefined) return recorded(body as never);
    given[stage] = at + 1;
    return next;
  };
}

export interface ApiProject {
  project: TestProject;
  api: MessagesApi;
  feature: (...more: string[]) => Promise<CliResult>;
  end: () => Promise<void>;
}

/** The small project in front of a loopback API, with a planted key. */
export async function apiProject(
  answer: MessagesApiOptions['answer'] = answersWith({}),
  more: Partial<MessagesApiOptions> & { config?: string } = {},
): Promise<ApiProject> {
  const { config = '', ...fake } = more;
  const api = await startMessagesApi({ answer, key: KEY, ...fake });
  const project = smallProject();
  Object.assign(project.env, { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url });
  project.write('.blueprint/config.yaml', `engine: anthropic\n${config}`);
  return {
    project,
    api,
    feature: (...options) => project.run('feature', 'farewell', '--brief', BRIEF_TEXT, ...options),
    end: async () => {
      await api.close();
      project.remove();
    },
  };
}
