import { expect, it } from 'vitest';
import { runCall, type CallContext } from '../../src/agent/tool-calls.ts';
import type { RecordedCall } from '../../src/model/agent.ts';

/** A context that knows one recorded call and fails at everything else. */
function knowing(recorded: RecordedCall): CallContext {
  return { record: { call: async () => recorded } } as unknown as CallContext;
}

const failure = { kind: 'protected-test-changed' as const, message: 'It changed a protected test.' };
const call = { id: 'c', name: 'run_command', input: { command: 'x' } };

it('gives a failure that ended the attempt before a crash back, so that it ends again', async () => {
  const recorded: RecordedCall = {
    tool: 'run_command',
    kind: 'command',
    ended: true,
    text: 'no',
    error: true,
    accepted: false,
    failure,
    final: true,
  };
  expect(await runCall(call, 1, knowing(recorded))).toEqual({ text: 'no', isError: true, final: failure });
});

it('gives the findings of a submission that was turned down back as they were', async () => {
  const findings = [{ rule: 'schema', severity: 'error' as const, message: 'm' }];
  const recorded: RecordedCall = {
    tool: 's',
    kind: 'submission',
    ended: true,
    text: 'no',
    error: true,
    accepted: false,
    failure: { kind: 'guardrail', message: 'm', findings },
    final: false,
  };
  expect(await runCall(call, 1, knowing(recorded))).toEqual({
    text: 'no',
    isError: true,
    rejected: { kind: 'guardrail', message: 'm', findings },
  });
});
