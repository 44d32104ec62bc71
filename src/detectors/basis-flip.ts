import { marketName, percent, price, rate, share, span } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { minute, second } from '../runtime/units.ts';
import { askMarkets, defineEpisodes, maxDataGap, setting, turnEnded } from './kit/define-episodes.ts';
import { marketsWithNewRows, points, series } from './kit/series.ts';

/**
 * Alerts when the perpetual's mark price crosses its index: basisPct = (mark / index − 1) × 100, positive CONTANGO and
 * negative BACKWARDATION, as /basis labels it. One row is noise (own measurement: annualised,
 * HIGH_CONTANGO in 34 % of hours), so the mean over 8 hours, one settlement's length, must cross. The mean is on a side
 * from `level` on, above or below zero; between the two levels it is on no side, as hysteresis.
 */
export default defineEpisodes({
  name: 'basis-flip',
  description: msg('A perpetual’s basis turns positive or negative, and stays there'),
  preset: 'everything',
  smallest: ({ level, window }) =>
    msg('a mean basis of {size} over {window}', { size: share(level / 100, 2), window: span(window) }),
  schedule: '25 */15 * * * *',
  cost: 'rows come every 5 minutes; a mean of hours is in no hurry',
  groupWait: 30 * second,
  options: {
    maxSymbols: setting.maxSymbols(8, 'requests every 15 minutes'),
    window: setting.duration('8h', 'the basis is averaged over this: one settlement’s length'),
    level: setting.positive(0.02, 'percent on either side of zero; the mean counts as turned beyond it'),
    confirm: setting.integer(12, 'rows in a row: an hour'),
    settle: setting.duration('24h', 'a turn that has stood this long is settled'),
    cooldown: setting.duration('24h', 'after an alert, no other for this symbol'),
  },
  rules: (options) => ({ ...options, keep: maxDataGap }),
  // A day holds the window of the first mean that counts, and is what the chart shows.
  observe: (context) =>
    askMarkets(context, (symbol) => context.data.basis({ symbol, hours: 24 }, context.signal)),

  // The mean of a new row is also taken over rows that were counted.
  look: (answers, { options: { window, level }, ...context }) =>
    marketsWithNewRows(answers, {
      ...context,
      // Rows come every 5 minutes.
      staleAfter: 20 * minute,
      look: (_rows, { key, data, current }) => {
        const countedUntil = context.values[key]?.seen ?? Number.NEGATIVE_INFINITY;
        const rows = series(data, { now: context.now, since: countedUntil - window });
        const means = meansOf(rows, window);
        const samples = rows.flatMap(({ at }, index) => {
          const average = means[index];
          if (average === undefined || at <= countedUntil) return [];
          return [{ at, side: sideOf(average, level), strong: true }];
        });
        return { samples, average: means.at(-1) ?? current.basisPct };
      },
    }),

  labelsOf: (symbol, to) => ({ symbol, to }),
  endsUnseen: true,

  tell(transition, { seen, options: { window, level, settle }, now }) {
    const { key: symbol, data, current, average } = seen;
    const { status, side } = transition;
    const name = marketName(symbol);
    const basis = percent(average, 4);
    const values = { symbol: name, side, basis, window: span(window) };
    return {
      title:
        status === 'firing'
          ? msg(
              '{symbol} basis turned {side, select, CONTANGO {positive} other {negative}}: {basis} on average over {window}',
              values,
            )
          : msg('{symbol} basis now {basis} on average over {window}', values),
      summary:
        status === 'firing'
          ? msg(
              '{side, select, CONTANGO {The perpetual now trades above its index on average: buyers pay for leverage.} other {The perpetual now trades below its index on average: sellers pay for leverage.}} This says nothing about where the price goes.',
              { side },
            )
          : turnEnded(transition, settle),
      facts: [
        [msg('Mean basis over {window}', { window: span(window) }), basis],
        [msg('Basis now'), percent(current.basisPct, 4)],
        [msg('Mark price'), price(current.markPrice)],
        [msg('Index price'), price(current.indexPrice)],
        [msg('Estimated funding'), rate(current.estFunding)],
      ],
      picture: {
        subject: msg('Basis of {symbol}', { symbol: name }),
        unit: '%',
        line: [name, points(series(data, { now }), ({ basisPct }) => basisPct)],
        marks: [[msg('threshold'), side === 'CONTANGO' ? level : -level]],
      },
      prominence: Math.abs(average),
      dataTime: current.at,
    };
  },
});

const sideOf = (average: number, level: number): string | null =>
  average >= level ? 'CONTANGO' : average <= -level ? 'BACKWARDATION' : null;

/** Returns the mean, percent, of the window that ends with each row. Undefined if the rows span under 80 % of the window. */
function meansOf(
  rows: readonly { readonly at: number; readonly basisPct: number }[],
  window: number,
): (number | undefined)[] {
  let sum = 0;
  let from = 0;
  return rows.map(({ at, basisPct }, index) => {
    sum += basisPct;
    let oldest = rows[from];
    while (oldest !== undefined && oldest.at <= at - window) {
      sum -= oldest.basisPct;
      from += 1;
      oldest = rows[from];
    }
    const isLongEnough = at - (oldest?.at ?? at) >= 0.8 * window;
    return isLongEnough ? sum / (index + 1 - from) : undefined;
  });
}
