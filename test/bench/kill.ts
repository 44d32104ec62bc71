import { parseArgs } from 'node:util';
import { report, runKills } from '../kill/kill.ts';

/** Takes minutes. */
export const slow = true;

/** `npm run bench -- kill -- [--kills 200] [--seed 7]`: no alert lost, none twice beyond the one in flight. */
export default async function kill(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { kills: { type: 'string', default: '200' }, seed: { type: 'string', default: '7' } },
  });
  const outcome = await runKills({ kills: Number(values.kills), seed: Number(values.seed) });
  process.stdout.write(report(outcome));
  const { doubledTooOften, lost, wrong, forgotten, complaints } = outcome;
  const problems = [...doubledTooOften, ...lost, ...wrong, ...forgotten, ...complaints.split('\n')];
  for (const problem of problems.filter((text) => text !== '').slice(0, 20))
    process.stdout.write(`${problem}\n`);
  if (problems.some((text) => text !== '')) process.exitCode = 1;
}
