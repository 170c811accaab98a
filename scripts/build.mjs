// Compiles src into dist.
import { chmodSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
rmSync(join(root, 'dist'), { recursive: true, force: true });
const { status, error } = spawnSync(
  process.execPath,
  [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', join(root, 'tsconfig.build.json')],
  { stdio: 'inherit' },
);
// The compiler writes even what it objects to, and that would pass for a fresh build the next time.
if (error || status !== 0) rmSync(join(root, 'dist'), { recursive: true, force: true });
if (error) throw error;
if (status !== 0) process.exit(status ?? 1);
chmodSync(join(root, 'dist', 'bin.js'), 0o755);
