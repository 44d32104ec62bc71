import type { EndpointAnswer } from '../contract/index.ts';
import { count, marketName, number, share, signed } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import { compact } from '../runtime/compact.ts';
import { hour } from '../runtime/units.ts';
import { windowOf } from '../runtime/window.ts';
import { awaitOptionalPart, awaitPart } from '../shell/failure.ts';
import { completeSinceFacts, definePanel } from './kit/panel.ts';
import { lineOf, type Points, points } from './kit/series.ts';

const topTraders = msg('Top traders');
const allAccounts = msg('All accounts');

export default definePanel({
  name: 'ratio',
  otherNames: ['longs', 'shorts', 'sentiment', 'positioning'],
  questionWords: ['crowd', 'long', 'short', 'positioned'],
  description: msg('Long/short ratio of a market: top traders and all accounts, vs. its own past'),
  hours: { usual: 168, most: 720 },
  /** Requests the ratios of top traders and of all accounts. Some venues have no ratio of top traders. */
  async ask({ symbol, asked }, { data, signal }) {
    const requestRatio = (type: 'top_position' | 'global_account') =>
      data.lsRatioHistory({ symbol, hours: asked, type }, signal);
    const [top, all] = await Promise.all([
      awaitOptionalPart(topTraders, requestRatio('top_position')),
      awaitPart(allAccounts, requestRatio('global_account')),
    ]);
    const failed = top.error ?? (top.value === undefined ? all.error : undefined);
    if (failed !== undefined) throw failed;
    return { symbol, top: top.value, all };
  },
  nameOf: ({ symbol }) => msg('Long/short ratio of {symbol}', { symbol: marketName(symbol) }),
  pastOf: ({ top, all }) => longsOf(top ?? all.value),
  emptySummary: (length) => msg('No ratio in the last {length}.', { length }),

  show({ symbol, top, all }, { past: leading, length, hours }) {
    const lines = [
      { name: topTraders, longs: windowOf(longsOf(top), hours * hour) },
      { name: allAccounts, longs: windowOf(longsOf(all.value), hours * hour) },
    ].filter(({ longs }) => longs.length > 0);
    const last = leading.at(-1);
    if (last === undefined) return undefined;
    const [dataTime, longs] = last;
    const below = leading.filter(([, value]) => value < longs).length / leading.length;
    const moved = longs - (leading[0]?.[1] ?? longs);
    return {
      headline: number(longs / (1 - longs)),
      summary:
        top === undefined
          ? msg('Longs per short among all accounts.')
          : msg('Longs per short among top traders’ positions.'),
      facts: compact([
        ...lines.map(({ name, longs }) => ({ name, value: sharesText(longs) })),
        ...all.missing,
        leading.length > 1 && {
          name: msg('vs. last {length}', { length }),
          value: msg('percentile {percentile}', { percentile: count(below * 100) }),
        },
        leading.length > 1 && {
          name: msg('Change in {length}', { length }),
          value: msg('{points} points', { points: signed(moved * 100, 1) }),
        },
        ...completeSinceFacts((top ?? all.value)?.completeSince),
      ]),
      chart: leading.length > 1 && {
        title: msg('{symbol} longs, last {length}', { symbol: marketName(symbol), length }),
        unit: '%',
        series: lines
          .filter(({ longs }) => longs.length > 1)
          .map(({ name, longs }) => lineOf(name, inPercent(longs))),
        marks: [{ name: msg('Balance'), value: 50 }],
      },
      dataTime,
      maxAge: hour,
    };
  },
});

const longsOf = (answer: EndpointAnswer<'lsRatioHistory'> | undefined): Points =>
  points(answer?.data ?? [], ({ longRatio }) => longRatio);

const inPercent = (shares: Points): Points => shares.map(([at, value]) => [at, value * 100] as const);

/**
 * Writes the shares of longs and shorts. The share of shorts follows from the rounded share of longs, so they add up to
 * 100 %.
 */
const sharesText = (longs: Points): Text => {
  const long = Math.round((longs.at(-1)?.[1] ?? Number.NaN) * 1_000) / 1_000;
  return msg('{long} long, {short} short', { long: share(long, 1), short: share(1 - long, 1) });
};
