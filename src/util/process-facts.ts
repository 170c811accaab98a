import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** What names the current boot of the machine, or `undefined`. */
export async function readBoot(platform: string): Promise<string | undefined> {
  if (platform === 'linux') return firstLine(await readText('/proc/sys/kernel/random/boot_id'));
  if (platform === 'darwin') return firstLine(await ask('sysctl', ['-n', 'kern.bootsessionuuid']));
  return undefined;
}

/** When a process started, in the system's own unit; `undefined` when there is no such process or no way to know. */
export async function readStart(pid: number, platform: string): Promise<string | undefined> {
  if (platform === 'linux') {
    const stat = await readText(`/proc/${pid}/stat`);
    // Field 22, in clock ticks since boot. Counted from the last parenthesis: the name before it may hold anything.
    return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  }
  if (platform === 'darwin') return firstLine(await ask('ps', ['-o', 'lstart=', '-p', String(pid)]));
  return undefined;
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

async function ask(program: string, argumentsOf: string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: 2000, env: { LC_ALL: 'C', PATH: '/usr/bin:/bin:/usr/sbin:/sbin' } };
    execFile(program, argumentsOf, options, (error, stdout) => resolve(error === null ? stdout : undefined));
  });
}

function firstLine(text: string | undefined): string | undefined {
  const line = text?.trim().split('\n')[0];
  return line === '' ? undefined : line;
}
