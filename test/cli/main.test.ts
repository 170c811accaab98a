import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { tell } from './fake-io.ts';

const WRONG: [argv: string[], message: string, hint: RegExp][] = [
  [['statsu'], "Unknown command 'statsu'.", /Did you mean status\?/],
  [['zzz'], "Unknown command 'zzz'.", /See: blueprint --help/],
  [['help', 'statsu'], "Unknown command 'statsu'.", /Did you mean status\?/],
  [['feature'], "Missing required argument 'slug'.", /See: blueprint feature --help/],
  [['feature', 'x', '--breif', 'y'], "Unknown option '--breif'.", /Did you mean --brief\?/],
  [['feature', 'x', '--engin=y'], "Unknown option '--engin=y'.", /Did you mean --engine\?/],
  [['status', 'feature', '--jsom'], "Unknown option '--jsom'.", /Did you mean --json\?/],
  [['status', '--json=1'], "Unknown option '--json=1'.", /--json takes no value/],
  [['--quiet', 'status'], "Unknown option '--quiet'.", /behind the command: blueprint status --quiet/],
  [['resume', 'x', '--new'], "Unknown option '--new'.", /--new is an option of: feature/],
  [['feature', 'x', '--from', 'spec'], "Unknown option '--from'.", /--from is an option of: resume/],
  [['status', 'a', 'b'], "Too many arguments for 'status'. Expected 1 argument but got 2.", /See: blueprint status --help/],
  [['feature', 'x', '--engine'], "Option '--engine <name>' argument missing.", /See: blueprint feature --help/],
  [['feature', 'x', '--engine', '--yes'], 'Unexpected --yes as the value of --engine.', /right behind it/],
  [['feature', 'x', '--brief='], 'Unexpected empty brief.', /right behind it/],
  [['feature', 'x', '--pause-after', 'spec,,ba'], 'Unexpected empty value for --pause-after.', /right behind it/],
  [['resume', 'x', '--from', ''], 'Unexpected empty value for --from.', /right behind it/],
  [['feature', 'x', '--brief', 'a', '--brief-file', 'b'], 'Unexpected --brief together with --brief-file, expected one of them.', /^$/],
  [['status', '--cwd', '/none/such'], 'Unexpected --cwd /none/such, expected a folder that is there.', /at \/none\/such/],
  [['context', 'x', '--stage', '--quiet'], 'Unexpected --quiet as the value of --stage.', /right behind it/],
  [['status', '--stage', 'spec'], "Unknown option '--stage'.", /--stage is an option of: context/],
  [['init', '--cwd', import.meta.filename], `Unexpected --cwd ${import.meta.filename}, expected a folder, and this is a file.`, /at /],
];

describe('wrong use', () => {
  it.each(WRONG)('%j: one message, exit 2, nothing on standard output', async (argv, message, hint) => {
    const { code, out, err } = await tell(argv);
    const [first, ...others] = err.trimEnd().split('\n');
    expect(first).toBe(`error: ${message}`);
    expect(others.join('\n')).toMatch(hint);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });

  it.each(WRONG.filter(([argv]) => !argv.includes('--')))('%j with --json: the last line is the result', async (argv, message) => {
    const { out, err } = await tell([...argv, '--json']);
    expect(err).toContain('error:');
    const result = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as { type: string; ok: boolean; exitCode: number };
    expect(result).toMatchObject({ type: 'result', ok: false, exitCode: 2, error: { name: 'UsageError' } });
    // A switch at the end may be the very thing that is wrong, else it changes nothing.
    if (argv.at(-1) !== '--engine')
      expect(result).toMatchObject({ error: { message: expect.stringContaining(message.split("'")[0] ?? '') as string } });
  });
});

describe('help', () => {
  it('without a command goes to standard error with exit 2', async () => {
    const { code, out, err } = await tell([]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    for (const { name } of COMMANDS) expect(err).toContain(name);
  });

  it.each(COMMANDS)('of $name names all its options, by either spelling', async ({ name, options }) => {
    const asked = await tell([name, '--help']);
    expect(asked).toMatchObject({ code: 0, err: '' });
    for (const { flags } of options) expect(asked.out).toContain(flags);
    expect(await tell(['help', name])).toEqual(asked);
  });

  it.each([[['--version']], [['-V', '--json']], [['--version', 'status']]])('%j prints the version', async (argv) => {
    expect(await tell(argv)).toEqual({ code: 0, out: '1.2.3\n', err: '' });
  });
});
