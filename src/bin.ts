#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import type { ProgramFacts } from './cli/io.ts';

const argv = process.argv.slice(2);

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  // Answered before anything heavy is loaded.
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  process.stdout.write(`${version}\n`);
} else {
  const [{ main }, { createIo }, { InterruptedError }] = await Promise.all([
    import('./cli/main.ts'),
    import('./cli/io.ts'),
    import('./errors.ts'),
  ]);
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(signal === 'SIGTERM' ? 143 : 130);
      controller.abort(new InterruptedError(signal));
    });
  }
  let isLost = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has gone (`| head`) is no fault; a result that could not be written is.
    if (error.code === 'EPIPE' || isLost) return;
    isLost = true;
    process.stderr.write(`error: The result cannot be written: ${error.message}\n`);
    process.exitCode ||= 3;
  });
  process.stderr.on('error', () => undefined);
  const exitCode = await main(argv, createIo(readProgramFacts), controller.signal);
  process.exitCode = exitCode === 0 && isLost ? 3 : exitCode;
}

function readProgramFacts(): ProgramFacts {
  const { version, bugs } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
    bugs?: { url?: string };
  };
  return {
    version,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    reportTo: bugs?.url ?? 'those you have blueprint from',
  };
}
