// Compiles src into dist, then bundles what the command line loads: hundreds of small modules take three times as long to
// load as a few large ones. Chunks stand in dist itself, because the code finds its package from the folder it is in.
import { chmodSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

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
await build({
  entryPoints: ['bin', 'compose', 'index'].map((name) => join(root, 'dist', `${name}.js`)),
  outdir: join(root, 'dist'),
  allowOverwrite: true,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  // CommonJS packages ask for Node's own modules by require.
  banner: { js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);" },
});
chmodSync(join(root, 'dist', 'bin.js'), 0o755);
