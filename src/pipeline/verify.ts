import type { Failure, Finding } from '../model/failure.ts';
import { currentDigest, record, type RunContext } from './context.ts';
import { testSpecOnDisk } from './criteria.ts';
import { createGuard } from './guard.ts';
import { inputDigests } from './inputs.ts';
import { judgeGreen } from './prove.ts';
import type { ProgramStepDefinition } from './steps.ts';
import { runTests } from './tests-first.ts';

/**
 * Runs the whole suite and the project's verification commands. Passes when every named test of every criterion passes
 * and every command ends with 0; otherwise returns the failure, which sends the work back to the developer.
 */
export async function runVerify(context: RunContext, step: ProgramStepDefinition): Promise<Failure | undefined> {
  const attempt = await startProgramStep(context, step);
  const guard = createGuard(context, step.name, attempt);
  await guard.before('command');
  const { proven, findings } = await runSuite(context, step.name, attempt);
  for (const command of context.commands) findings.push(...(await runCommand(context, step.name, attempt, command)));
  const { failure: touched } = await guard.after('verification');
  const failure: Failure | undefined =
    touched ??
    (findings.length > 0
      ? { kind: 'verification-red', message: `Verification found ${findings.length} problem${findings.length === 1 ? '' : 's'}.`, findings }
      : undefined);
  if (failure) {
    await record(context, { type: 'attempt-end', data: { step: step.name, attempt, outcome: 'failed', failure } });
    return failure;
  }
  const foreign = await foreignFiles(context);
  const note =
    foreign.length === 0
      ? undefined
      : `verified together with ${foreign.length} uncommitted file${foreign.length === 1 ? '' : 's'} of yours: ${foreign.slice(0, 5).join(', ')}${foreign.length > 5 ? ' …' : ''}`;
  // The commands themselves may have written into the tree: what was verified is what stands there now.
  const inputs = await inputDigests(context, step);
  await record(context, {
    type: 'stage-end',
    data: { step: step.name, attempt, inputs, outputs: {}, proven, ...(note !== undefined && { note }) },
  });
  return undefined;
}

/** Begins an attempt of a program step; one that was cut off is simply done again. */
export async function startProgramStep(context: RunContext, step: ProgramStepDefinition): Promise<number> {
  const known = context.state.steps[step.name];
  if (known?.active) {
    await record(context, {
      type: 'attempt-end',
      data: { step: step.name, attempt: known.active.attempt, outcome: 'interrupted', reason: 'the program was stopped' },
    });
  }
  const attempt = (known?.attempts.at(-1)?.attempt ?? 0) + 1;
  await record(context, { type: 'attempt-start', data: { step: step.name, attempt, inputs: await inputDigests(context, step) } });
  return attempt;
}

async function runSuite(context: RunContext, step: string, attempt: number): Promise<{ proven: string[]; findings: Finding[] }> {
  const spec = await testSpecOnDisk(context);
  const run = await runTests(context, { step, attempt, purpose: 'verify', files: [] });
  const judged = spec ? judgeGreen(spec, run) : { proven: [], findings: [] };
  const named = new Set(spec?.tests.map(({ title }) => title));
  const others = run.tests.filter(
    ({ status, name }) => status === 'failed' && ![...named].some((title) => name !== '' && name.endsWith(title)),
  );
  const findings = [
    ...judged.findings,
    ...others.map(({ file, name, error }): Finding => ({
      rule: 'verification',
      severity: 'error',
      file,
      message: `Unexpected failure of ${name === '' ? file : `"${name}"`}, expected the whole suite to pass: ${(error?.message ?? '').slice(0, 600)}`,
    })),
  ];
  // Whatever tests are missing, the reason stands in what the runner has said.
  if (run.exitCode !== 0 && run.tests.every(({ status }) => status !== 'failed')) {
    findings.push({
      rule: 'verification',
      severity: 'error',
      message: `Unexpected end of ${run.command} (${run.timedOut ? 'time-out' : `exit ${run.exitCode ?? 'by signal'}`}), expected 0: ${run.output.slice(-800)}`,
    });
  }
  return { proven: judged.proven, findings };
}

async function runCommand(
  context: RunContext,
  step: string,
  attempt: number,
  { name, argv }: { name: string; argv: string[] },
): Promise<Finding[]> {
  context.hooks.emit({ type: 'command-start', step, command: name });
  const result = await context.processes.run({
    argv,
    cwd: context.project.root,
    timeout: context.project.config.limits.commandSeconds * 1000,
    signal: context.hooks.signal,
  });
  const output = `${result.stdout}${result.stderr}`;
  const hasPassed = result.exitCode === 0;
  await record(context, {
    type: 'command-end',
    data: {
      step,
      attempt,
      purpose: 'verify',
      command: name,
      exitCode: result.exitCode ?? null,
      timedOut: result.timedOut,
      tree: '',
      output: await context.journal.putBlob(output),
      passed: hasPassed ? 1 : 0,
      failed: hasPassed ? 0 : 1,
    },
  });
  if (hasPassed) return [];
  const how = result.notFound
    ? 'was not found'
    : result.timedOut
      ? 'did not end in time'
      : result.exitCode === undefined
        ? `was ended by ${result.signal ?? 'a signal'}`
        : `ended with ${result.exitCode}`;
  return [
    {
      rule: 'verification',
      severity: 'error',
      message: `Unexpected result of ${name}: it ${how}, expected exit 0. ${output.trim().slice(-800)}`,
    },
  ];
}

/** Files of the person that were in the tree when it was verified. */
async function foreignFiles(context: RunContext): Promise<string[]> {
  const dirty = (await context.repository?.dirtyPaths()) ?? [];
  const foreign: string[] = [];
  for (const path of dirty) {
    if (path.startsWith('.blueprint/')) continue;
    const known = context.state.files[path];
    if (!known || known.accepted !== (await currentDigest(context, path))) foreign.push(path);
  }
  return foreign;
}
