import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const CONFIG = `# Configuration of blueprint. Everything here is optional.

# What plays the roles (docs/engines.md); without it, a key in ANTHROPIC_API_KEY means anthropic:
# engine: anthropic
# anthropic: { model: claude-sonnet-5-5, effort: high }

# Limits of a whole run, in US dollars, replies and minutes of one command:
# run: { budget: 5, turns: 200, minutes: 60 }

# What each role reads besides the brief:
# systemSpec: .blueprint/SYSTEM_SPEC.md
# businessContext: .business_context

# How tests run, when the package does not tell: node:test or vitest
# test:
#   runner: node:test

# Commands that must end with 0 before a commit (found in package.json when absent):
# verify:
#   - npm run lint

# Stages of your own; their role is .blueprint/agents/<role>.md and they hand in a report:
# stages:
#   - { name: security-review, role: security-reviewer, after: tests }

# limits: { turns: 40, tokens: 400000, minutes: 30, mendRounds: 2, commandSeconds: 120 }
# contextTokens: 50000
# retry: { maxRetries: 3 }
`;

const SYSTEM_SPEC = `# System specification

What every feature of this project stands on. Roles cite it by section, so keep the numbers.

## 1. Purpose

What this system is for, and for whom.

## 2. Actors

Who uses it, and what each may and may not do.

## 3. Words

What the domain's words mean here.

## 4. Rules that always hold

- Rules no feature may break.

## 5. Quality

- Speed, safety, accessibility and other demands on the whole.

## 6. Out of scope

- What this system will not do.
`;

const IGNORE = `# Runs, locks and caches are local to this checkout; artifacts are committed.
runs/
locks/
cache/
`;

/** Writes the files a project starts with; what is there already stays as it is. */
export async function initProject({ cwd }: { cwd: string }): Promise<{ root: string; written: string[]; kept: string[] }> {
  const written: string[] = [];
  const kept: string[] = [];
  for (const [path, text] of [
    ['.blueprint/config.yaml', CONFIG],
    ['.blueprint/SYSTEM_SPEC.md', SYSTEM_SPEC],
    ['.blueprint/.gitignore', IGNORE],
  ] as const) {
    const target = join(cwd, path);
    await mkdir(dirname(target), { recursive: true });
    const isWritten = await writeFile(target, text, { flag: 'wx' }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false;
        throw error;
      },
    );
    (isWritten ? written : kept).push(path);
  }
  return { root: cwd, written, kept };
}
