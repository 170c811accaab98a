import { afterEach } from 'vitest';
import { describeProviderContract } from '../contract.ts';
import { closeAll, REQUEST, subject } from './subject.ts';

afterEach(closeAll);

const IMPOSSIBLE = { ...REQUEST, model: 'no-such-model' };
const SLOW = { ...REQUEST, model: 'slow' };

describeProviderContract('the Messages API', async () => {
  const { engine } = await subject((body: { model: string }) => {
    if (body.model === 'no-such-model') {
      return { status: 404, json: { type: 'error', error: { type: 'not_found_error', message: 'model: no-such-model' } } };
    }
    return {
      content: [
        { type: 'text', text: 'Writing.' },
        { type: 'tool_use', id: 'toolu_1', name: 'write_file', input: { path: 'a.md', content: 'ä\n' } },
      ],
      ...(body.model === 'slow' && { modelTime: 5000 }),
    };
  });
  return { provider: engine, request: REQUEST, impossible: IMPOSSIBLE, slow: SLOW };
});
