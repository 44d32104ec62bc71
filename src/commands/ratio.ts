import { count, marketName, number, share, signed } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import { hour } from '../runtime/units.ts';
import { part } from '../shell/failure.ts';
import { definePanel } from './kit/panel.ts';
import { lineOf, type Points, points } from './kit/series.ts';

export default definePanel({
  name: 'ratio',
  description: msg('Long/short ratio of a market: top traders and all accounts, vs. its own past'),
  hours: { usual: 168, most: 720 },
  async ask({ symbol, hours }, { data, signal }) {
    const [top, all] = await Promise.all([
      data.lsRatioHistory({ symbol, hours, type: 'top_position' }, signal),
      part(msg('All accounts'), data.lsRatioHistory({ symbol, hours, type: 'global_account' }, signal)),
    ]);
    return { top, all };
  },
  nameOf: ({ top }) => msg('Long/short ratio of {symbol}', { symbol: marketName(top.symbol) }),
  none: (length) => msg('No ratio in the last {length}.', { length }),

  show({ top, all }, { length }) {
    const positions = points(top.data, ({ longRatio }) => longRatio);
    const accounts = points(all.value?.data ?? [], ({ longRatio }) => longRatio);
    const last = positions.at(-1);
    if (last === undefined) return undefined;
    const [dataTime, longs] = last;
    const below = positions.filter(([, value]) => value < longs).length / positions.length;
    const moved = longs - (positions[0]?.[1] ?? longs);
    return {
      headline: number(longs / (1 - longs)),
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
          value: msg('percentile {percentile}', { percentile: count(below * 100) }),
        },
        {
          name: msg('Change in {length}', { length }),
          value: msg('{points} points', { points: signed(moved * 100, 1) }),
        },
      ],
      chart: positions.length > 1 && {
        title: msg('{symbol} longs, last {length}', { symbol: marketName(top.symbol), length }),
        unit: '%',
        series: [
          lineOf(msg('Top traders'), inPercent(positions)),
          ...(accounts.length > 1 ? [lineOf(msg('All accounts'), inPercent(accounts))] : []),
        ],
        marks: [{ name: msg('Balance'), value: 50 }],
      },
      dataTime,
      stale: hour,
    };
  },
});

const inPercent = (shares: Points): Points => shares.map(([at, value]) => [at, value * 100] as const);

/** Both rounded from one, so that they make a whole. */
const standing = (longs: Points): Text => {
  const long = Math.round((longs.at(-1)?.[1] ?? Number.NaN) * 1_000) / 1_000;
  return msg('{long} long, {short} short', { long: share(long, 1), short: share(1 - long, 1) });
};
