import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };

const root = resolve(import.meta.dirname, '../../..');

/** A running script of package.json. */
export interface Program extends AsyncDisposable {
  readonly pid: number | undefined;
  /** Returns everything that the script has written, to stdout and stderr. */
  written(): string;
  /** Resolves with the match once it was written. @throws with everything written, if the script ends without a match */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** Ends it as a failing machine does. */
  kill(): Promise<void>;
  /** Lets the machine of the script sleep for so many ms, in no time; only with `sleeps`. Resolves once it is awake. */
  sleep(ms: number): Promise<void>;
}

/** Variables with an empty value, so that a developer's own `.env` has no effect. */
const unset = Object.fromEntries(
  [...readFileSync(join(root, 'config/env.example'), 'utf8').matchAll(/^#([A-Z_]+)=/gm)].map(
    ([, name = '']) => [name, ''],
  ),
);

/** Runs a script as npm does: by a shell, in the project's folder, with the project's own tools. */
export function runScript(
  name: 'start' | 'serve',
  {
    environment,
    words = [],
    sleeps = false,
  }: {
    readonly environment: Readonly<Record<string, string>>;
    readonly words?: readonly string[];
    readonly sleeps?: boolean;
  },
): Program {
  const path = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const child = spawn('sh', ['-c', `exec ${manifest.scripts[name]} "$@"`, name, ...words], {
    cwd: root,
    env: {
      ...unset,
      ...environment,
      PATH: path,
      ...(sleeps && { NODE_OPTIONS: `--import=${new URL('asleep.js', import.meta.url)}` }),
    },
    stdio: 'pipe',
  });
  if (!sleeps) child.stdin.end();
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  let written = '';
  let slept = 0;
  const waiting = new Set<() => void>();
  const look = () => {
    for (const each of waiting) each();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      written += text;
      look();
    });
  }
  /** The exit code, or the signal that ended the process; undefined while it runs. */
  let over: unknown;
  const ended = once(child, 'close').then(([code, signal]) => {
    over = code ?? signal;
    process.off('exit', kill);
    look();
  });
  const says = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((found, failed) => {
      const seek = () => {
        const match = pattern.exec(written);
        if (match === null && over === undefined) return;
        waiting.delete(seek);
        if (match === null) failed(new Error(`it ended (${over}), and never said ${pattern}:\n${written}`));
        else found(match);
      };
      waiting.add(seek);
      seek();
    });
  return {
    pid: child.pid,
    written: () => written,
    says,
    async sleep(ms) {
      slept += ms;
      child.stdin.write(`${ms}\n`);
      await says(new RegExp(`awake at ${slept}\n`));
    },
    async kill() {
      kill();
      await ended;
    },
    async [Symbol.asyncDispose]() {
      if (over === undefined) child.kill('SIGTERM');
      await ended;
    },
  };
}
