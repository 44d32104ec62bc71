import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { FannedOut, FanOut } from './process.ts';

/** Wall ms after which a run has failed. */
const longest = 900_000;

/** Measures in a separate process how long sending to all subscriptions of a database takes. */
export async function fannedOut(asked: FanOut): Promise<FannedOut> {
  const child = fork(join(import.meta.dirname, 'process.ts'), [JSON.stringify(asked)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    timeout: longest,
  });
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`the measured process ended early, with ${code ?? signal}`);
  });
  const [answer] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => {});
  return answer as FannedOut;
}
