import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Life } from './child.ts';

/** Starts a life of the bot in its own process, which sends `up` over its channel once it has asked for its roles. */
export function spawnLife<One extends object = Life>(
  life: One,
  {
    folder,
    complain,
    flags = [],
    script = new URL('child.ts', import.meta.url),
  }: {
    readonly folder: string;
    readonly complain: (text: string) => void;
    /** Flags of Node. */
    readonly flags?: readonly string[];
    /** What the process runs, with the life as JSON in its argument. */
    readonly script?: URL;
  },
): ChildProcess {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      // Most lives end before they have made more than this, so that nothing is cleared away.
      '--min-semi-space-size=16',
      ...flags,
      fileURLToPath(script),
      JSON.stringify(life),
    ],
    {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(folder, 'compiled') },
    },
  );
  child.stderr?.on('data', (chunk: Buffer) => complain(chunk.toString('utf8')));
  return child;
}
