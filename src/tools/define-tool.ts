import { z } from 'zod';
import type { PreparedCall, Tool, ToolContext } from '../model/tool.ts';

interface ToolDefinition<Schema extends z.ZodType> {
  name: string;
  description: string;
  schema: Schema;
  /** May throw `CallerFault`, or what the border throws: both become error answers. */
  prepare(input: z.output<Schema>, context: ToolContext): Promise<PreparedCall>;
}

/** A fault of the caller, in words for the model: it is answered, never thrown out of a tool. */
export class CallerFault extends Error {
  override readonly name = 'CallerFault';
}

/** Makes a tool of a schema and a function: bad input is answered with one line per issue, and its path. */
export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, schema } = definition;
  return {
    name,
    description,
    inputSchema: inputSchemaOf(schema),
    async prepare(input, context) {
      context.signal.throwIfAborted();
      const parsed = schema.safeParse(input);
      if (!parsed.success) return errorAnswer(`Invalid input for ${name}:\n${describe(parsed.error)}`);
      try {
        return await definition.prepare(parsed.data, context);
      } catch (error) {
        const text = asAnswer(error);
        if (text === undefined) throw error;
        return errorAnswer(text);
      }
    },
  };
}

/** An answer that tells the model what it did wrong. */
export function errorAnswer(text: string): PreparedCall {
  return { kind: 'answer', text, isError: true };
}

function inputSchemaOf(schema: z.ZodType): Record<string, unknown> {
  // 'input': with the default, a field that has a default value would be listed as required.
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

function describe(error: z.ZodError): string {
  return error.issues.map((issue) => `- ${issue.path.join('.') || '(input)'}: ${issue.message}`).join('\n');
}

/** System errors that say something about the path the model asked for. Everything else is a fault of ours or the disk. */
const PATH_FAULTS: Record<string, string> = {
  EACCES: 'Permission denied',
  EISDIR: 'It is a folder, not a file',
  ENAMETOOLONG: 'The path is too long',
  ENOENT: 'No such file',
  ENOTDIR: 'Part of the path is a file, not a folder',
  EPERM: 'Operation not permitted',
};

function asAnswer(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // By name, not class: the border lives in a room this one does not import.
  if (error instanceof CallerFault || error.name === 'BorderError') return error.message;
  const words = 'code' in error ? PATH_FAULTS[String(error.code)] : undefined;
  return words === undefined ? undefined : `${words}: ${error.message}`;
}
