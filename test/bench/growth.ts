import { parseArgs } from 'node:util';
import { measureGrowth, trend } from './growth/measure.ts';
import { type Figure, report } from './measuring/figures.ts';
import { load } from './measuring/program.ts';

export const slow = true;

/** `npm run bench -- growth [-- --days 7 --speed 1200]`: a simulated week, in which nothing may grow. */
export default async function growth(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      days: { type: 'string', default: '7' },
      speed: { type: 'string', default: '1200' },
      symbols: { type: 'string', default: '10' },
    },
  });
  const hours = Number(values.days) * 24;
  const { heaps, tables, archive, ...lived } = await measureGrowth({
    hours,
    every: 1,
    speed: Number(values.speed),
    symbols: Number(values.symbols),
  });
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
  const rows = [...tables, ...archive]
    .filter(([, values]) => Math.max(...values) > 100)
    .map(([table, values]): Figure => {
      const { rise, noise } = trend(values);
      const bounded = tables.has(table);
      return {
        name: `rows of ${table}, rise over the second half`,
        value: rise,
        unit: `of ${values.at(-1)}`,
        // The archive keeps two years, of which a week is what a week is.
        ...(bounded && { bound: { most: noise } }),
      };
    });
  report(`growth: ${values.days} simulated days at ${values.speed} ×`, [
    { name: 'market time lived through', value: lived.hours, unit: 'h', bound: { least: hours } },
    ...rises,
    ...last,
    ...rows,
    load(),
  ]);
}
