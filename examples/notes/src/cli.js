#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { addNote, readNotes } from './store.js';

const USAGE = 'Usage: notes add <text> [--tag <tag>]... | notes list';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tag: { type: 'string', multiple: true, default: [] } },
});
const [command, ...words] = positionals;
const file = process.env.NOTES_FILE ?? 'notes.json';

if (command === 'add') {
  const note = await addNote(file, { text: words.join(' '), tags: values.tag });
  console.log(formatNote(note));
} else if (command === 'list') {
  for (const note of await readNotes(file)) console.log(formatNote(note));
} else {
  console.error(USAGE);
  process.exitCode = 2;
}

function formatNote({ id, text, tags }) {
  return [`${id}.`, text, ...tags.map((tag) => `#${tag}`)].join(' ');
}
