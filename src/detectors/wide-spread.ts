import { marketName, number, price, share, signed, span } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { median } from '../runtime/statistics.ts';
import { hour, minute, second } from '../runtime/units.ts';
import { askMarkets, defineEpisodes, maxDataGap, setting } from './kit/define-episodes.ts';
import { marketsWithNewRows, points, series } from './kit/series.ts';

/** How many hours are asked for: they say what spread is usual. */
const requestedHours = 6;
/** The fewest rows from which the usual spread is computed. */
const minRows = 60;

/**
 * Alerts when the bid-ask spread is far above its own usual, the median of its last 6 hours. The data
 * service calls a spread wide above 2 times its average (/spread). The top of a book changes 29 times a minute
 * (measured), so this detector waits for a much wider spread over several minutes, and is off by default.
 */
export default defineEpisodes({
  name: 'wide-spread',
  description: msg('A market’s bid-ask spread stays far above normal for minutes'),
  preset: 'everything',
  smallest: ({ minPct }) => msg('{size} of the price', { size: share(minPct / 100, 2) }),
  off: 'spreads flicker, and few can act on one; needs 15 requests in 15 minutes',
  schedule: '15 4-59/5 * * * *',
  cost: 'rows come every minute',
  groupWait: 30 * second,
  options: {
    maxSymbols: setting.maxSymbols(5, 'requests every 5 minutes', 100),
    enter: setting.number(5, 'times the symbol’s normal spread, the median of its last 6 hours', '(1, ∞)'),
    exit: setting.number(2, 'ends below this', '[1, ∞)'),
    minPct: setting.number(0.02, 'percent of the price below which no spread is wide'),
    confirm: setting.integer(3, 'minutes in a row'),
    calm: setting.integer(5, 'minutes in a row before it has ended'),
    cooldown: setting.duration('4h', 'after its end'),
  },
  check: setting.exitNotAboveEnter,
  rules: (options) => ({ ...options, keep: maxDataGap }),
  observe: (context) =>
    askMarkets(context, (symbol) => context.data.spread({ symbol, hours: requestedHours }, context.signal)),

  // Rows that were counted give no sample again, but the usual spread is that of all rows.
  look: (answers, { options: { enter, exit, minPct }, ...context }) =>
    marketsWithNewRows(answers, {
      ...context,
      // Rows come every minute and are asked for every 5 minutes.
      staleAfter: 10 * minute,
      look: (rows, { data }) => {
        if (data.length < minRows) return undefined;
        const spreads = data.map(({ spreadPct }) => spreadPct);
        const usual = () => median(spreads);
        const widest = Math.max(...rows.map(({ spreadPct }) => spreadPct));
        if (isCalm(spreads, { exit, widest }))
          return { samples: rows.map(({ at }) => ({ at, side: null })), usual };
        const middle = usual();
        if (!(middle > 0)) return undefined;
        const samples = rows.map(({ at, spreadPct }) => ({
          at,
          side: spreadPct >= exit * middle ? 'WIDE' : null,
          strong: spreadPct >= enter * middle && spreadPct >= minPct,
        }));
        return { samples, usual };
      },
    }),

  labelsOf: (symbol) => ({ symbol }),
  endsUnseen: true,

  tell({ ended }, { seen, options: { enter, minPct }, now }) {
    const { key: symbol, data, current } = seen;
    const pct = (value: number) => msg('{value}%', { value: number(value, 4) });
    const name = marketName(symbol);
    const usual = seen.usual();
    const times = current.spreadPct / usual;
    const values = { symbol: name, spread: pct(current.spreadPct) };
    return {
      title: ended
        ? msg('{symbol} spread back to normal: {spread}', values)
        : msg('{symbol} spread is wide: {spread}, {times} × normal', { ...values, times: number(times, 1) }),
      summary: msg('Market orders cost more while the spread is wide: market makers have stepped back.'),
      facts: [
        [msg('Spread'), values.spread],
        [msg('Usual over {window} (median)', { window: span(requestedHours * hour) }), pct(usual)],
        [msg('Bid'), price(current.bidPrice)],
        [msg('Ask'), price(current.askPrice)],
        [msg('Imbalance'), signed(current.imbalance, 2)],
      ],
      picture: {
        subject: msg('Spread of {symbol}', { symbol: name }),
        unit: '%',
        line: [name, points(series(data, { now }), ({ spreadPct }) => spreadPct)],
        marks: [
          [msg('usual'), usual, 'neutral'],
          [msg('wide from'), Math.max(enter * usual, minPct)],
        ],
      },
      prominence: times,
    };
  },
});

/**
 * Returns whether most rows have a spread so wide that no new row is far above it. No new row is then far above the
 * median either, which would take ten times as long to compute.
 */
function isCalm(spreads: readonly number[], { exit, widest }: Record<'exit' | 'widest', number>): boolean {
  let above = 0;
  for (const spread of spreads) if (spread * exit > widest && 2 * ++above > spreads.length) return true;
  return false;
}
