import { parseArgs } from 'node:util';
import { faults, runKills } from '../kill/kill.ts';
import { figuresOf } from './kill/figures.ts';
import { report } from './measuring/figures.ts';

/** Takes minutes. */
export const slow = true;

/** `npm run bench -- kill -- [--kills 200] [--seed 7]`: no alert is lost, and only the one in flight may come twice. */
export default async function kill(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { kills: { type: 'string', default: '200' }, seed: { type: 'string', default: '7' } },
  });
  const outcome = await runKills({ kills: Number(values.kills), seed: Number(values.seed) });
  report('killed with SIGKILL, webhooks', figuresOf(outcome));
  const found = faults(outcome);
  for (const fault of found.slice(0, 20)) process.stdout.write(`${fault}\n`);
  if (found.length > 0) process.exitCode = 1;
}
