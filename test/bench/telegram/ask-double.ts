import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Arrivals, Order } from './double.ts';

export interface DoubleProcess {
  readonly url: string;
  ask(order: Order): Promise<Arrivals>;
  /** Resolves once that many messages were accepted, or none came for ten seconds. */
  settled(messages: number): Promise<Arrivals>;
  close(): void;
}

export async function forkDouble(limits: 'limited' | 'unlimited'): Promise<DoubleProcess> {
  const child = fork(join(import.meta.dirname, 'double.ts'), [limits], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    timeout: 300_000,
  });
  const [{ url }] = (await once(child, 'message')) as [Arrivals];
  let last: Promise<unknown> = Promise.resolve();
  const ask = (order: Order): Promise<Arrivals> => {
    const answer = last.then(async () => {
      const answered = once(child, 'message');
      child.send(order);
      return ((await answered) as [Arrivals])[0];
    });
    last = answer.catch(() => {});
    return answer;
  };
  return {
    url,
    ask,
    async settled(messages) {
      for (let [seen, since] = [0, performance.now()]; ; await delay(20)) {
        const { sent } = await ask({ kind: 'progress' });
        if (sent > seen) [seen, since] = [sent, performance.now()];
        if (seen >= messages || performance.now() - since > 10_000) return ask({ kind: 'report' });
      }
    },
    close: () => void child.kill(),
  };
}
