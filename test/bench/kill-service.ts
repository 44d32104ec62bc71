import { parseArgs } from 'node:util';
import { runKills } from '../kill-service/kill.ts';
import { report } from './measuring/figures.ts';

/** Takes a minute or two. */
export const slow = true;

/** `npm run bench -- kill-service -- [--kills 20] [--seed 7]`: killed backfills end with the archive of an unkilled one. */
export default async function killService(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { kills: { type: 'string', default: '20' }, seed: { type: 'string', default: '7' } },
  });
  const outcome = await runKills({ kills: Number(values.kills), seed: Number(values.seed) });
  report('The backfill, killed with SIGKILL', [
    { name: 'kills', value: outcome.kills, unit: '' },
    { name: 'archives filled so', value: outcome.archives, unit: '' },
    { name: 'requests of a fill in peace', value: outcome.requests, unit: '' },
    { name: 'rows of an archive', value: outcome.rows, unit: '' },
    { name: 'tables that differ', value: outcome.differences.length, unit: '', bound: { most: 0 } },
  ]);
  for (const line of [...outcome.differences, outcome.complaints]) if (line !== '') console.log(line);
}
