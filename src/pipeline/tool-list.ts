import * as z from 'zod';
import { submissionTools } from '../artifacts/kinds.ts';
import type { ToolDescription } from '../model/engine.ts';
import type { Tool } from '../model/tool.ts';
import { compactSchema } from './compact-schema.ts';

/** All tools in fixed order, the same for every role: their description is part of the prefix that prompts share. */
export function toolDescriptions(tools: readonly Tool[]): ToolDescription[] {
  const known = described.get(tools) ?? describe(tools);
  described.set(tools, known);
  return known;
}

/** Making schemas takes a while, and every prompt needs them. */
const described = new WeakMap<readonly Tool[], ToolDescription[]>();

function describe(tools: readonly Tool[]): ToolDescription[] {
  return [
    ...tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema: compactSchema(inputSchema) })),
    ...submissionTools.map(({ tool, description, schema }) => ({
      name: tool,
      description,
      inputSchema: compactSchema(z.toJSONSchema(schema, { io: 'input' })),
    })),
  ];
}
