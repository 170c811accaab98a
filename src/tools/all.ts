import type { Tool } from '../model/tool.ts';
import { editFileTool } from './edit-file.ts';
import { listFilesTool } from './list-files.ts';
import { readFileTool } from './read-file.ts';
import { runCommandTool } from './run-command.ts';
import { searchFilesTool } from './search-files.ts';
import { writeFileTool } from './write-file.ts';

/** Every tool that works on the project, in the one order that all prompts share. */
export const projectTools: readonly Tool[] = [readFileTool, listFilesTool, searchFilesTool, writeFileTool, editFileTool, runCommandTool];
