import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

/** As the kernel's own quotas do: a process runs for its share of each period, ms, and stands still for the rest of it. */
const period = 100;

/**
 * Gives a process a share of a core until the function that is returned has resolved: by SIGSTOP and SIGCONT, which need no
 * rights and work in any container, where a control group's quota needs both.
 * @param isFrozen whether it must not go on
 */
export function limit(child: ChildProcess, share: number, isFrozen: () => boolean): () => Promise<void> {
  let over = false;
  const turns = async () => {
    while (!over && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGSTOP');
      await delay(period * (1 - share));
      if (!isFrozen()) child.kill('SIGCONT');
      await delay(period * share);
    }
    if (!isFrozen()) child.kill('SIGCONT');
  };
  const ended = turns();
  return async () => {
    over = true;
    await ended;
  };
}
