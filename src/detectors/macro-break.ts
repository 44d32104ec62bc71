import type { EndpointAnswer } from '../contract/index.ts';
import { number, signed, span } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import type { TimedRow } from '../runtime/rows.ts';
import { median as medianOf } from '../runtime/statistics.ts';
import { day } from '../runtime/units.ts';
import { defineEpisodes, type Look, lostData, setting } from './kit/define-episodes.ts';
import { points, series } from './kit/series.ts';

/** The age above which a row says nothing about the present: longer than a weekend with a holiday, when no market moves. */
const staleAfter = 5 * day;
/** The latest days, in which the correlation may be breaking: they are no part of the usual. */
const recentDays = 7;
/** The fewest days from which the usual is computed: as many as a correlation is computed over. */
const minDays = 30;
/** The smallest size of a correlation whose sign means anything. */
const minMeaningful = 0.2;

const assets = ['sp500', 'gold', 'dxy'] as const;
type Asset = (typeof assets)[number];
type Row = TimedRow<EndpointAnswer<'crossAssetHistory'>['data'][number]>;
type Level = TimedRow<{ readonly value: number }>;

interface Followed extends Look<never> {
  readonly key: Asset;
  readonly current: Level;
  readonly usual: number;
  readonly days: readonly Level[];
  readonly rows: readonly Row[];
  readonly name: Text;
}
/** A series that has ended. `lastSeen`: data time of the last sample, ms. */
interface Lost extends Look<never> {
  readonly key: Asset;
  readonly lastSeen: number;
}

/**
 * Alerts when the correlation of bitcoin with the S&P 500, gold or the dollar leaves its usual: the median of up to 90
 * days, all that the endpoint gives, without the last week. A correlation breaks by a shift of `enter`, or by a change
 * of sign where both signs mean something, and is back to normal once within `exit`. No threshold is public: 30 days
 * without weekends are about 21 daily returns, whose correlation has a standard error of (1 − r²)/√(n − 1), 0.22 at r =
 * 0, so that 0.5 is more than two of them. The correlation moves once a day, so samples are days. A series that no
 * provider supplies gives no alerts, and ends those it gave once its last day is stale.
 */
export default defineEpisodes({
  name: 'macro-break',
  description: msg('Bitcoin’s correlation with the S&P 500, gold or the dollar breaks from normal'),
  preset: 'everything',
  smallest: ({ enter }) => msg('a correlation that has moved by {size}', { size: number(enter, 2) }),
  schedule: '5 35 */6 * * *',
  cost: 'correlations move once a day',
  options: {
    enter: setting.number(
      0.5,
      'distance of the correlation from its norm: two standard errors of a month of returns',
      '(0, 2]',
    ),
    exit: setting.number(0.3, 'ends once nearer than this', '[0, 2]'),
    confirm: setting.integer(3, 'days in a row'),
    calm: setting.integer(3, 'days in a row before it ends'),
    cooldown: setting.duration('14d', 'after its end: half of a correlation’s window'),
  },
  check: setting.exitNotAboveEnter,
  rules: (options) => options,
  // All hours that the endpoint gives.
  observe: ({ data, signal }) => data.crossAssetHistory({ hours: 2160 }, signal),

  look({ data, goldMarket, sp500Market }, { options, now, values }) {
    const rows = series(data, { now });
    return assets.flatMap((key): (Followed | Lost)[] => {
      const days = dailyLevels(rows, key);
      const current = days.at(-1);
      const usual = usualAt(days, days.length - 1);
      if (current === undefined || usual === undefined || now - current.at > staleAfter) {
        const { open, seen = now } = values[key] ?? {};
        return open && now - seen > staleAfter ? [{ key, samples: [], gone: now, lastSeen: seen }] : [];
      }
      const samples = days.flatMap(({ at, value }, index) => {
        const before = at > (values[key]?.seen ?? 0) ? usualAt(days, index) : undefined;
        return before === undefined ? [] : [{ at, ...breakOf(value, { ...options, usual: before }) }];
      });
      const name = nameOf(key, { gold: goldMarket, sp500: sp500Market });
      return [{ key, samples, current, usual, days, rows, name }];
    });
  },

  labelsOf: (asset, direction) => ({ asset, direction }),

  tell({ ended, side }, { seen, options: { enter }, now }) {
    const { key: asset } = seen;
    if ('lastSeen' in seen)
      return { ...lostData(nameOf(asset), seen.lastSeen), facts: [], dataTime: seen.lastSeen };
    const { current, usual, days, rows, name } = seen;
    const values = { name, correlation: signed(current.value, 2), usual: signed(usual, 2) };
    const median = { ...values, days: Math.max(0, days.length - recentDays) };
    const moved = lastMove(rows, asset);
    return {
      title: ended
        ? msg('Bitcoin’s correlation with {name} is back to normal: {correlation}', values)
        : msg('Bitcoin’s correlation with {name} has broken: {correlation} instead of {usual}', values),
      summary: msg(
        'A correlation of daily returns over about a month: it says how they moved together, not which one leads.',
      ),
      facts: [
        [msg('Correlation'), values.correlation],
        [msg('Usual'), msg('{usual} (median of {days, plural, one {# day} other {# days}})', median)],
        moved && [msg('Level of {name}', values), number(moved.value, 2)],
        moved && [msg('Age of that level'), span(now - moved.at)],
      ],
      picture: {
        subject: msg('Correlation of bitcoin and {name}', values),
        line: [msg('Correlation'), points(days, ({ value }) => value)],
        marks: [
          [msg('usual'), usual, 'neutral'],
          [msg('broken from'), usual + (side === 'HIGHER' ? enter : -enter)],
        ],
      },
    };
  },
});

/** Returns the first correlation of each UTC day, oldest first. */
function dailyLevels(rows: readonly Row[], asset: Asset): readonly Level[] {
  const days = new Map<number, number>();
  for (const { at, [`btc_${asset}_corr` as const]: value } of rows) {
    const midnight = Math.floor(at / day) * day;
    if (value !== undefined) days.getOrInsert(midnight, value);
  }
  return [...days].map(([at, value]) => ({ at, value }));
}

function usualAt(days: readonly Level[], index: number): number | undefined {
  const before = days.slice(0, Math.max(0, index + 1 - recentDays));
  return before.length < minDays ? undefined : medianOf(before.map(({ value }) => value));
}

function breakOf(value: number, { usual, enter, exit }: Record<'usual' | 'enter' | 'exit', number>) {
  const shift = value - usual;
  const turned = value * usual < 0 && Math.min(Math.abs(value), Math.abs(usual)) >= minMeaningful;
  return {
    side: Math.abs(shift) < exit || shift === 0 ? null : shift > 0 ? 'HIGHER' : 'LOWER',
    strong: Math.abs(shift) >= enter || turned,
    severity: 'warning' as const,
  };
}

/** @param perpetuals what the level of an asset is, where that is no provider's */
function nameOf(asset: Asset, perpetuals: { readonly [Name in Asset]?: string | undefined } = {}): Text {
  const perpetual = perpetuals[asset] !== undefined;
  if (asset === 'dxy') return msg('the dollar');
  if (asset === 'gold') return perpetual ? msg('the perpetual on gold') : msg('gold');
  return perpetual ? msg('the perpetual on the S&P 500') : 'S&P 500';
}

/** Returns the asset's newest level and since when it has been at it: long ago, if the market is closed. */
function lastMove(rows: readonly Row[], asset: Asset): Level | undefined {
  const levels = rows.flatMap(({ at, [asset]: value }) => (value === undefined ? [] : [{ at, value }]));
  const newest = levels.at(-1);
  return levels[levels.findLastIndex(({ value }) => value !== newest?.value) + 1];
}
