import { Environment } from '@marcbachmann/cel-js';
import type { Rule } from '#src/alert/rule.ts';
import { minute } from '#src/runtime/units.ts';
import { answers, dataClient, now as start } from '../support/data.ts';
import { rule, ruleDetector } from '../support/rules.ts';
import { percentile, report } from './measuring/figures.ts';
import { load } from './measuring/program.ts';

const people = 100_000;
const universe = Array.from({ length: 100 }, (_, index) => `S${index}USDT`);
const conditions = [
  (level: number) => `price.last > ${level}`,
  (level: number) => `price.last < ${level}`,
  (level: number) => `price.last > ${level} && signal.master > 60`,
  (level: number) => `funding.z > 2.5 && price.last < ${level} && regime.state == "RISK_OFF"`,
];

/** `npm run bench -- rules`: 100,000 rules in a round in which every price moved, on one core. */
export default async function rules(): Promise<void> {
  const given = Array.from(
    { length: people },
    (_, index): Rule =>
      rule({
        id: `r${index}`,
        condition: conditions[index % conditions.length]?.(100 + (index % 997) / 10) ?? '',
        symbols: [universe[index % universe.length] ?? ''],
      }),
  );
  const began = process.cpuUsage();
  const detector = ruleDetector(
    () => given,
    () => universe,
  );
  const options = detector.options.parse({});
  let state: ReturnType<typeof detector.state.parse> | undefined;
  const rounds: number[] = [];
  const blocks: number[] = [];
  const stretches: number[] = [];
  const quiet: number[] = [];
  let fired = 0;
  let [lastBeat, lastSpent] = [performance.now(), spentHere()];
  const beat = setInterval(() => {
    blocks.push(performance.now() - lastBeat);
    stretches.push(spentHere() - lastSpent);
    [lastBeat, lastSpent] = [performance.now(), spentHere()];
  }, 1);
  const round = async (index: number, moves: boolean) => {
    const now = start + index * minute;
    const price = moves ? 150 + 10 * Math.sin(index / 3) : 150;
    const data = dataClient({
      marketOverview: {
        ...answers.marketOverview,
        coins: universe.map((symbol) => ({ symbol, price, signal: 0, funding: 0, master: 70 })),
        timestamp: new Date(now).toISOString(),
      },
    });
    const from = process.cpuUsage();
    const observation = await detector.observe({
      data,
      options,
      state,
      symbols: [],
      now,
      signal: new AbortController().signal,
    });
    const stepped = detector.step(state, observation, { options, now });
    state = stepped.state;
    fired += stepped.changes.length;
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1_000;
  };
  await round(0, true);
  const loaded = process.cpuUsage(began);
  blocks.length = 0;
  stretches.length = 0;
  for (let index = 1; index <= 20; index += 1) rounds.push(await round(index, true));
  // In this round the prices move back; it is not counted.
  await round(21, false);
  for (let index = 22; index <= 31; index += 1) quiet.push(await round(index, false));
  clearInterval(beat);
  const alone = evaluatedAlone();
  const kept = JSON.stringify(state).length;
  report(`rules: ${people.toLocaleString('en-US')} rules of 100 symbols, all prices moving`, [
    {
      name: 'processor time of a round in which every price moved, slowest of 20',
      value: Math.max(...rounds),
      unit: 'ms',
      bound: { most: 1_000 },
      baseline: alone,
    },
    { name: 'the same, median', value: percentile(rounds, 0.5), unit: 'ms', baseline: alone },
    { name: 'a round in which nothing moved, median', value: percentile(quiet, 0.5), unit: 'ms' },
    {
      name: 'longest wait of the event loop, p99',
      value: percentile(blocks, 0.99),
      unit: 'ms',
      bound: { most: 50 },
    },
    {
      name: 'of that, processor time of this thread: what is left is the wait for a core, longest',
      value: Math.max(...stretches),
      unit: 'ms',
    },
    { name: 'alerts in all', value: fired, unit: '' },
    { name: 'state kept at the end', value: kept / 1e6, unit: 'MB' },
    {
      name: 'processor time of reading all of them, and of the first round',
      value: loaded.user / 1e6,
      unit: 's',
    },
    load(),
  ]);
}

/** Returns the processor time of this thread, ms. */
function spentHere(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Returns the processor ms that the CEL library alone needs to evaluate as many parsed conditions one after the other. */
function evaluatedAlone(): { readonly name: string; readonly value: number } {
  const environment = new Environment({ unlistedVariablesAreDyn: true });
  // All numbers are written as fractions, because CEL compares fractions only with each other.
  const fractions = (text: string) => text.replaceAll(/(?<![\d.])\d+(?![\d.])/g, '$&.0');
  const parsed = conditions.map((condition) => environment.parse(fractions(condition(150))));
  const facts = {
    price: { last: 150 },
    signal: { master: 70 },
    funding: { z: 3 },
    regime: { state: 'RISK_OFF' },
  };
  const from = process.cpuUsage();
  for (let index = 0; index < people; index += 1) parsed[index % parsed.length]?.(facts);
  const { user, system } = process.cpuUsage(from);
  return { name: 'as many conditions in the CEL library alone', value: (user + system) / 1_000 };
}
