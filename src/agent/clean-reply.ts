import type { Block, Reply } from '../model/engine.ts';
import { cleanText, cleanValue } from '../text/clean.ts';

/**
 * A reply as it may be stored and sent: without halves of characters, NUL or keys. What is signed is never altered; a
 * reply whose signed part would need it comes back without content, and is asked for in other words.
 */
export function cleanReply(reply: Reply, redact: (text: string) => string): Reply {
  const clean = (text: string): string => cleanText(text, redact);
  const isTainted = reply.content.some((block) => block.type === 'opaque' && isChanged(block.data, clean));
  return { ...reply, content: isTainted ? [] : reply.content.map((block) => cleanBlock(block, clean)) };
}

function cleanBlock(block: Block, clean: (text: string) => string): Block {
  if (block.type === 'text') return { ...block, text: clean(block.text) };
  if (block.type === 'opaque') return block;
  return { ...block, input: cleanValue(block.input, clean), ...(block.fault !== undefined && { fault: clean(block.fault) }) };
}

function isChanged(value: unknown, clean: (text: string) => string): boolean {
  return JSON.stringify(cleanValue(value, clean)) !== JSON.stringify(value);
}
