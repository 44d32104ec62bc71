import { parseArgs } from 'node:util';
import { type Outcome, runChaos } from '../chaos/chaos.ts';

/** Takes minutes. */
export const slow = true;

/**
 * `npm run bench -- chaos -- [--seeds 1000] [--from 1]`: faults of everything at once that follow from a seed. One that fails is
 * named, and `--seeds 1 --from SEED` replays it.
 */
export default async function chaos(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { seeds: { type: 'string', default: '1000' }, from: { type: 'string', default: '1' } },
  });
  const [from, count] = [Number(values.from), Number(values.seeds)];
  const outcomes: Outcome[] = [];
  for (let seed = from; seed < from + count; seed += 1) {
    const outcome = await runChaos(seed);
    outcomes.push(outcome);
    for (const text of outcome.wrong.slice(0, 10)) process.stdout.write(`seed ${seed}: ${text}\n`);
  }
  process.stdout.write(report(outcomes, process.cpuUsage().user / 1e6));
  if (outcomes.some(({ wrong }) => wrong.length > 0)) process.exitCode = 1;
}

function report(outcomes: readonly Outcome[], seconds: number): string {
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, each) => total + of(each), 0);
  const faults = new Map<string, number>();
  for (const outcome of outcomes)
    for (const [name, count] of Object.entries(outcome.faults))
      faults.set(name, (faults.get(name) ?? 0) + count);
  const rows: [string, string | number][] = [
    ['seeds', outcomes.length],
    [
      'processes, one / two / three',
      [1, 2, 3].map((n) => sum((each) => (each.processes === n ? 1 : 0))).join(' / '),
    ],
    ...[...faults].sort(([a], [b]) => (a < b ? -1 : 1)),
    ['alerts', sum(({ alerts }) => alerts)],
    ['posts and edits', sum(({ arrivals }) => arrivals)],
    ['twice on Telegram, answer lost, logged', sum(({ doubted }) => doubted)],
    ['seeds that fail', outcomes.filter(({ wrong }) => wrong.length > 0).length],
    ['seconds of processor', seconds.toFixed(1)],
  ];
  return rows.map(([name, value]) => `${name.padEnd(40)}${value}\n`).join('');
}
