// Makes a fresh clone ready: installs what the lock file names, and builds when a source is newer than the build.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const installed = join(root, 'node_modules', '.package-lock.json');
if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(join(root, 'package-lock.json')).mtimeMs) {
  run('npm', ['ci', '--no-audit', '--no-fund']);
}
const built = join(root, 'dist', 'bin.js');
if (!existsSync(built) || statSync(built).mtimeMs < newest(join(root, 'src'))) run(process.execPath, [join(root, 'scripts', 'build.mjs')]);

function newest(folder) {
  return Math.max(...readdirSync(folder, { recursive: true }).map((name) => statSync(join(folder, name)).mtimeMs));
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
