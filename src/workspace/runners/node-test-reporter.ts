/**
 * Source of a reporter for `node --test`: one JSON line per event that tells of a test. It is text, written to a
 * temporary file for each run, because it runs in the project's Node, not in ours, and from `src` as well as from `dist`.
 */
export const NODE_TEST_REPORTER = `
export default async function* report(events) {
  for await (const { type, data } of events) {
    const { name, nesting, file } = data;
    if (type === 'test:start') yield line({ type: 'start', name, nesting, file });
    else if (type === 'test:stderr') yield line({ type: 'stderr', file, message: String(data.message) });
    else if (type === 'test:pass' || type === 'test:fail') {
      yield line({
        type: type === 'test:pass' ? 'pass' : 'fail',
        name,
        nesting,
        file,
        isSuite: data.details?.type === 'suite',
        isSkipped: isSet(data.skip) || isSet(data.todo),
        error: describe(data.details?.error),
      });
    }
  }
}

function line(value) {
  return JSON.stringify(value) + '\\n';
}

// A reason may be given instead of true, and the empty string is one.
function isSet(value) {
  return value !== undefined && value !== false;
}

function describe(error) {
  if (error === undefined || error === null) return undefined;
  const cause = error.cause ?? error;
  const isObject = typeof cause === 'object' && cause !== null;
  return {
    failureType: error.failureType,
    message: isObject ? (cause.name ?? 'Error') + ': ' + (cause.message ?? '') : String(cause),
  };
}
`;
