import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { measureGrowth, trend } from './growth/measure.ts';
import { type Figure, report } from './measuring/figures.ts';
import { load } from './measuring/program.ts';

export const slow = true;

/** Most rows of messages: the store keeps the newest 2,000, and some more between prunings. Other tables keep a day. */
const messagesKept = 2_200;

/** Tables whose rows are kept for 90 days (the record) or for good (the chain): their growth is shown and has no bound. */
const keptLonger = new Set(['outcome', 'hourly_price', 'chain']);

const worthTelling = ([, values]: readonly [string, readonly number[]]) => Math.max(...values) > 100;

/**
 * `npm run bench -- growth -- [--days 7 --speed 2000 --samples FILE]`: a simulated week, in which nothing may grow. Tables are
 * pruned once a wall minute, so their rows rise and fall. The bench compares their peaks, which takes four days or more. All
 * samples are written to FILE as JSON, to look into what has grown.
 */
export default async function growth(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      days: { type: 'string', default: '7' },
      speed: { type: 'string', default: '2000' },
      symbols: { type: 'string', default: '10' },
      samples: { type: 'string' },
    },
  });
  const hours = Number(values.days) * 24;
  const grown = await measureGrowth({
    hours,
    every: 1,
    speed: Number(values.speed),
    symbols: Number(values.symbols),
  });
  const { heaps, handles, tables, archive, ...lived } = grown;
  if (values.samples !== undefined) {
    const plain = (_: string, value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value);
    await writeFile(values.samples, JSON.stringify(grown, plain));
  }
  const rises = [...heaps].map(([thread, values]): Figure => {
    const { rise, noise } = trend(values);
    return {
      name: `heap and buffers of ${thread}, rise over the second half`,
      value: rise / 1e6,
      unit: 'MB',
      bound: { most: noise / 1e6 },
    };
  });
  const last = [...heaps].map(
    ([thread, values]): Figure => ({
      name: `heap and buffers of ${thread}, at the end`,
      value: (values.at(-1) ?? Number.NaN) / 1e6,
      unit: 'MB',
    }),
  );
  const open = trend(handles);
  const growing = [...tables, ...archive]
    .filter(worthTelling)
    .filter(([table]) => archive.has(table) || keptLonger.has(table));
  const bounded = [...tables].filter(worthTelling).filter(([table]) => !keptLonger.has(table));
  const rows = bounded.map(([table, values]): Figure => {
    const most = Math.max(...values.slice(values.length / 2));
    const before = Math.max(...values.slice(0, values.length / 2));
    const bound = table === 'message' ? messagesKept : before * 1.25;
    return { name: `most rows of ${table}, second half`, value: most, unit: '', bound: { most: bound } };
  });
  const keptForYears = growing.map(([table, values]): Figure => {
    const { rise } = trend(values);
    return { name: `rows of ${table}, rise over the second half`, value: rise, unit: `of ${values.at(-1)}` };
  });
  report(`growth: ${values.days} simulated days at ${values.speed} ×`, [
    { name: 'market time lived through', value: lived.hours, unit: 'h', bound: { least: hours } },
    ...rises,
    ...last,
    {
      name: 'open timers, sockets and other resources of the bot, rise over the second half',
      value: open.rise,
      unit: '',
      bound: { most: open.noise },
    },
    ...rows,
    ...keptForYears,
    load(),
  ]);
}
