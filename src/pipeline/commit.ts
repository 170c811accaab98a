import { note, readText, record, type RunContext } from './context.ts';
import { documentKinds } from '../artifacts/kinds.ts';
import { decide } from './gate.ts';
import type { ProgramStepDefinition } from './steps.ts';
import { startProgramStep } from './verify.ts';
import { inputDigests } from './inputs.ts';

/** Commits exactly what the run has written, or adopts the commit it had already made. */
export async function runCommit(context: RunContext, step: ProgramStepDefinition): Promise<void> {
  const { repository, state } = context;
  const attempt = await startProgramStep(context, step);
  const end = async (data: { commit?: string; branch?: string; note?: string }): Promise<void> => {
    await record(context, {
      type: 'stage-end',
      data: { step: step.name, attempt, inputs: await inputDigests(context, step), outputs: {}, ...data },
    });
  };
  if (!repository) return end({ note: 'not committed: this project is not in a git repository' });
  if (!context.options.commit) return end({ note: 'not committed: --no-commit' });
  const made = await repository.findByTrailer('Blueprint-Run', state.run);
  if (made !== undefined) {
    const branch = await repository.branch();
    return end({ commit: made, ...(branch !== null && { branch }) });
  }
  const { paths, left } = await pathsToCommit(context);
  if (paths.length === 0) return end({ note: `not committed: ${left.length === 0 ? 'nothing differs from before' : left.join('; ')}` });
  const branch = await repository.startBranch(context.feature);
  const message = await messageOf(context);
  await record(context, { type: 'commit-start', data: { attempt, base: await repository.head(), branch, paths, message } });
  const commit = await repository.commit(paths, message);
  return end({ commit, branch, ...(left.length > 0 && { note: left.join('; ') }) });
}

/** Files the run left different; ignored ones and mixed ones a person does not want in it are named. */
async function pathsToCommit(context: RunContext): Promise<{ paths: string[]; left: string[] }> {
  const written = Object.entries(context.state.files).filter(([, { first, accepted }]) => first !== accepted);
  const candidates = written.map(([path]) => path).toSorted();
  const ignored = new Set(await context.repository?.ignored(candidates));
  const left: string[] = [];
  const paths: string[] = [];
  for (const path of candidates) {
    if (ignored.has(path)) left.push(`${path} is ignored by git`);
    else if (await isMixed(context, path)) {
      const choices = [
        { value: 'commit', label: 'commit it with your changes' },
        { value: 'leave', label: 'leave it out' },
      ];
      const text = `${path} had uncommitted changes of yours before this run wrote to it.`;
      const answer = await decide(context, { gate: `mixed:${path}`, step: 'commit', text, choices });
      if (answer === 'commit') {
        paths.push(path);
        note(context, `${path} is committed together with your earlier changes.`, 'warning');
      } else left.push(`${path} was left out at your word`);
    } else paths.push(path);
  }
  return { paths, left };
}

/** Whether a file held uncommitted changes of the person when the run first wrote to it. */
async function isMixed(context: RunContext, path: string): Promise<boolean> {
  const first = context.state.files[path]?.first ?? null;
  if (first === null || first === 'head' || !context.repository) return false;
  return !(await context.repository.sameAsHead(path, await context.journal.getBlob(first)));
}

async function messageOf(context: RunContext): Promise<string> {
  const text = await readText(context, `${context.folder}/FEATURE_SPEC.md`);
  const parsed = text === undefined ? undefined : documentKinds['feature-spec'].parse(text);
  const title = parsed?.ok ? parsed.data.title : context.feature;
  const subject = `feat(${context.feature}): ${title}`.slice(0, 100);
  const proven = context.state.proven.length;
  const body = `${proven} criteri${proven === 1 ? 'on' : 'a'} proven by tests that were red before and are green now.`;
  return `${subject}\n\n${body}\n\nBlueprint-Run: ${context.state.run}\nBlueprint-Feature: ${context.feature}\n`;
}
