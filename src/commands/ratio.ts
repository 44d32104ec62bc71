import { z } from 'zod';
import { count, marketName, number, share, signed, span } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import { hour } from '../runtime/units.ts';
import { defineCommand } from '../shell/command.ts';
import { caution, part } from '../shell/failure.ts';
import { symbol, whole } from '../shell/input.ts';
import { coarser, type Points, points } from './kit/series.ts';

/** As many points as a picture shows. */
const maxPoints = 300;

export default defineCommand({
  name: 'ratio',
  description: msg('Long/short ratio of a market: top traders and all accounts, vs. its own past'),
  input: z.object({
    symbol: symbol.describe('Market, e.g. BTCUSDT').default('BTCUSDT'),
    hours: whole(1, 720).default(168).describe('How many hours back'),
  }),
  async run({ symbol, hours }, { data, now, signal }) {
    const [top, all] = await Promise.all([
      data.lsRatioHistory({ symbol, hours, type: 'top_position' }, signal),
      part(msg('All accounts'), data.lsRatioHistory({ symbol, hours, type: 'global_account' }, signal)),
    ]);
    const positions = points(top.data, ({ longRatio }) => longRatio);
    const accounts = points(all.value?.data ?? [], ({ longRatio }) => longRatio);
    const last = positions.at(-1);
    const name = msg('Long/short ratio of {symbol}', { symbol: marketName(top.symbol) });
    const length = span(hours * hour);
    if (last === undefined) {
      return {
        title: name,
        summary: msg('No ratio in the last {length}.', { length }),
      };
    }
    const [dataTime, longs] = last;
    const line = (name: Text, values: Points) => ({
      name,
      points: coarser(
        values.map(([at, value]) => [at, value * 100] as const),
        maxPoints,
        'mean',
      ),
    });
    return {
      title: msg('{what}: {ratio}', { what: name, ratio: number(longs / (1 - longs)) }),
      summary: msg('Longs per short among top traders’ positions.'),
      facts: [
        { name: msg('Top traders'), value: standing(positions) },
        ...(all.value === undefined
          ? all.missing
          : accounts.length === 0
            ? []
            : [{ name: msg('All accounts'), value: standing(accounts) }]),
        {
          name: msg('vs. last {length}', { length }),
          value: msg('percentile {percentile}', {
            percentile: count(
              (positions.filter(([, value]) => value < longs).length / positions.length) * 100,
            ),
          }),
        },
        {
          name: msg('Change in {length}', { length }),
          value: msg('{points} points', { points: signed((longs - (positions[0]?.[1] ?? longs)) * 100, 1) }),
        },
        ...caution(dataTime, now, hour),
      ],
      ...(positions.length > 1 && {
        chart: {
          title: msg('{symbol} longs, last {length}', { symbol: marketName(top.symbol), length }),
          unit: '%',
          series: [
            line(msg('Top traders'), positions),
            ...(accounts.length > 1 ? [line(msg('All accounts'), accounts)] : []),
          ],
          marks: [{ name: msg('Balance'), value: 50 }],
        },
      }),
      dataTime,
    };
  },
});

/** Both rounded from one, so that they make a whole. */
const standing = (longs: Points): Text => {
  const long = Math.round((longs.at(-1)?.[1] ?? Number.NaN) * 1_000) / 1_000;
  return msg('{long} long, {short} short', { long: share(long, 1), short: share(1 - long, 1) });
};
