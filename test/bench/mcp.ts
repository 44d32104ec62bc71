import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { AgentsCost } from './measuring/agents.ts';
import { report } from './measuring/figures.ts';
import { allocating, flags, load } from './measuring/program.ts';

const times = 5;

/** `npm run bench -- mcp`: the cost of letting agents in, compared with a console that runs anyway. */
export default async function mcp(): Promise<void> {
  const costs: AgentsCost[] = [];
  // The first run fills the cache of compiled code and does not count.
  for (let run = 0; run <= times; run += 1) {
    const child = fork(join(import.meta.dirname, 'measuring/agents.ts'), [], {
      execArgv: [...flags, '--expose-gc'],
      env: { ...process.env, ...allocating },
    });
    const [cost] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => {
        throw new Error(`it ended with ${code} before it said anything`);
      }),
    ])) as [AgentsCost];
    child.disconnect();
    if (run > 0) costs.push(cost);
  }
  const median = (of: (cost: AgentsCost) => number) =>
    costs.map(of).sort((a, b) => a - b)[times >> 1] ?? Number.NaN;
  report(`agents (MCP) let in: median of ${times} starts, 100 questions each`, [
    { name: 'longer until it listens', value: median(({ took }) => took), unit: 'ms', bound: { most: 100 } },
    { name: 'processor for it', value: median(({ processor }) => processor), unit: 'ms' },
    { name: 'memory of the process', value: median(({ rss }) => rss) / 1e6, unit: 'MB', bound: { most: 25 } },
    { name: 'heap and buffers', value: median(({ heap }) => heap) / 1e6, unit: 'MB' },
    load(),
  ]);
}
