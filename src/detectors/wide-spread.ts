import { z } from 'zod';
import { marketName, number, price, signed, span } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { median } from '../runtime/statistics.ts';
import { duration, hour, minute, second } from '../runtime/units.ts';
import { askMarkets, defineEpisodes, lapse } from './kit/episodes.ts';
import { lately, lineOf, points, series } from './kit/series.ts';

/** Hours of it that say what is usual. */
const asked = 6;
/** Rows come every minute and are asked for every 5. */
const stale = 10 * minute;
/** Below this many rows nothing is usual. */
const fewest = 60;

/**
 * The bid-ask spread is far above its own usual, the median of its last 6 hours. The interface calls a
 * spread wide above 2 times its average (rule 7); the top of a book flips 29 times a minute (domain notes), so this
 * waits for much more, for minutes on end, and is off unless asked for.
 */
export default defineEpisodes({
  name: 'wide-spread',
  description: msg('A market’s bid-ask spread stays far above normal for minutes'),
  preset: 'everything',
  off: 'spreads flicker, and few can act on one; needs 15 requests in 15 minutes',
  schedule: '15 4-59/5 * * * *',
  cost: 'rows come every minute',
  groupWait: 30 * second,
  options: z
    .object({
      maxSymbols: z.int().min(1).max(100).default(5).describe('requests every 5 minutes'),
      enter: z
        .number()
        .gt(1)
        .default(5)
        .describe('times the symbol’s normal spread, the median of its last 6 hours'),
      exit: z.number().min(1).default(2).describe('ends below this'),
      minPct: z.number().min(0).default(0.02).describe('percent of the price below which no spread is wide'),
      confirm: z.int().min(1).default(3).describe('minutes in a row'),
      calm: z.int().min(1).default(5).describe('minutes in a row before it has ended'),
      cooldown: duration.prefault('4h').describe('after its end'),
    })
    .refine(({ enter, exit }) => exit <= enter, 'exit must not be above enter'),
  rules: (options) => ({ ...options, keep: lapse }),
  observe: (context) =>
    askMarkets(context, (symbol) => context.data.spread({ symbol, hours: asked }, context.signal)),

  look(answers, { options, now, values }) {
    // What was counted counts no more; what is usual is that of all rows.
    const since = ({ symbol }: { readonly symbol: string }) =>
      values[symbol]?.seen ?? Number.NEGATIVE_INFINITY;
    return lately(answers, { now, stale, since }, (rows, current, { symbol: key, data }) => {
      if (data.length < fewest) return undefined;
      const usual = () => median(data.map(({ spreadPct }) => spreadPct));
      const widest = Math.max(...rows.map(({ spreadPct }) => spreadPct));
      if (isCalm(data, options.exit, widest)) {
        const samples = rows.map(({ at }) => ({ at, side: null, strong: false }));
        return { key, samples, data, current, usual };
      }
      const middle = usual();
      if (!(middle > 0)) return undefined;
      const samples = rows.map(({ at, spreadPct }) => ({
        at,
        side: spreadPct >= options.exit * middle ? 'WIDE' : null,
        strong: spreadPct >= options.enter * middle && spreadPct >= options.minPct,
      }));
      return { key, samples, data, current, usual };
    });
  },

  tell({ status }, { key: symbol, data, current, usual: usually }, { options: { enter, minPct }, now }) {
    const pct = (value: number) => msg('{value}%', { value: number(value, 4) });
    const name = marketName(symbol);
    const usual = usually();
    const times = current.spreadPct / usual;
    const line = points(series(data, now), ({ spreadPct }) => spreadPct);
    return {
      labels: { symbol },
      title:
        status === 'resolved'
          ? msg('{symbol} spread back to normal: {spread}', { symbol: name, spread: pct(current.spreadPct) })
          : msg('{symbol} spread is wide: {spread}, {times} × normal', {
              symbol: name,
              spread: pct(current.spreadPct),
              times: number(times, 1),
            }),
      summary: msg('Market orders cost more while the spread is wide: market makers have stepped back.'),
      facts: [
        { name: msg('Spread'), value: pct(current.spreadPct) },
        { name: msg('Usual over {window} (median)', { window: span(asked * hour) }), value: pct(usual) },
        { name: msg('Bid'), value: price(current.bidPrice) },
        { name: msg('Ask'), value: price(current.askPrice) },
        { name: msg('Imbalance'), value: signed(current.imbalance, 2) },
      ],
      ...lineOf(msg('Spread of {symbol}', { symbol: name }), line, {
        unit: '%',
        name,
        marks: [
          { name: msg('usual'), value: usual, tone: 'neutral' },
          { name: msg('wide from'), value: Math.max(enter * usual, minPct) },
        ],
      }),
      prominence: times,
      dataTime: current.at,
    };
  },
});

/** Most rows are so wide that none is far above them: then their median is, which takes ten times as long to find. */
function isCalm(rows: readonly { readonly spreadPct: number }[], exit: number, widest: number): boolean {
  let above = 0;
  for (const { spreadPct } of rows) if (spreadPct * exit > widest) above += 1;
  return 2 * above > rows.length;
}
