import type { MessageAnswer } from './messages-api.mjs';

export interface ReplyTurn {
  stage: string;
  /** 1 if left out; at most 2. */
  attempt?: number;
  turn: number;
  say?: string;
  calls?: { id?: string; tool: string; input: Record<string, unknown> }[];
  stop?: string;
  usage?: Record<string, unknown>;
  /** Milliseconds before the first byte. */
  delay?: number;
}

export function answerFromTranscript(turns: ReplyTurn[]): (body: any) => MessageAnswer;
