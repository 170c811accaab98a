import { readFile, rename, writeFile } from 'node:fs/promises';

/** Reads all notes, oldest first. A file that does not exist yet holds none. */
export async function readNotes(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Adds a note and returns it. Ids count from 1 and are never used again while the newest note stays. */
export async function addNote(file, { text, tags = [] }) {
  if (text.trim() === '') throw new Error('A note needs a text.');
  const notes = await readNotes(file);
  const note = { id: (notes.at(-1)?.id ?? 0) + 1, text: text.trim(), tags };
  await writeFile(`${file}.new`, `${JSON.stringify([...notes, note], null, 2)}\n`);
  await rename(`${file}.new`, file);
  return note;
}
