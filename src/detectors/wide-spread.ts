import { z } from 'zod';
import type { Change } from '../alert/alert.ts';
import { askEach, symbolsWithin } from '../client/each.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { marketName, number, price, signed, span } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { median } from '../runtime/statistics.ts';
import { day, duration, hour, minute, second } from '../runtime/units.ts';
import { defineDetector } from './detector.ts';
import { type Followed, follow, followed, opened, remembered } from './kit/follow.ts';
import { charted, points, series, type Timed } from './kit/series.ts';

/** Hours of it that say what is usual. */
const asked = 6;
/** Rows come every minute and are asked for every 5. */
const stale = 10 * minute;
/** Below this many rows nothing is usual. */
const fewest = 60;
/** Followed on over a gap of this length; after a longer one a symbol is met as if for the first time. */
const keep = 2 * day;

type Row = Timed<EndpointAnswer<'spread'>['data'][number]>;

/**
 * The bid-ask spread is far above its own usual, the median of its last 6 hours. The interface calls a
 * spread wide above 2 times its average (rule 7); the top of a book flips 29 times a minute (domain notes), so this
 * waits for much more, for minutes on end, and is off unless asked for.
 */
export default defineDetector({
  name: 'wide-spread',
  description: msg('A market’s bid-ask spread stays far above normal for minutes'),
  preset: 'everything',
  schedule: '15 4-59/5 * * * *',
  groupWait: 30 * second,
  options: z
    .object({
      /** Requests every 5 minutes. */
      maxSymbols: z.int().min(1).max(100).default(5),
      /** Times the usual at which it begins, and below which it ends. */
      enter: z.number().gt(1).default(5),
      exit: z.number().min(1).default(2),
      /** Percent of the price, below which no spread is wide: a tick more of a tight book is nothing. */
      minPct: z.number().min(0).default(0.02),
      /** Minutes in a row. */
      confirm: z.int().min(1).default(3),
      calm: z.int().min(1).default(5),
      cooldown: duration.prefault('4h'),
    })
    .refine(({ enter, exit }) => exit <= enter, 'exit must not be above enter'),
  state: z.object({ symbols: z.record(z.string(), followed) }),

  async observe({ data, options, state, symbols, signal }) {
    const known = state?.symbols ?? {};
    const first = [...opened(known), ...symbols, ...Object.keys(known)];
    const chosen = await symbolsWithin(options.maxSymbols, first, data, signal);
    const answers = await askEach(chosen, (symbol) => data.spread({ symbol, hours: asked }, signal));
    return [...answers].map(([symbol, answer]) => ({ symbol, rows: answer.data }));
  },

  step(state, answers, { options, now }) {
    const symbols: Record<string, Followed> = remembered(state?.symbols ?? {}, now, keep);
    const changes: Change[] = [];
    for (const { symbol, rows } of answers) {
      const known = series(rows, now);
      const current = known.at(-1);
      const usual = median(known.map(({ spreadPct }) => spreadPct));
      if (current === undefined || now - current.at > stale || known.length < fewest || !(usual > 0))
        continue;
      const { next, told } = follow(
        symbols[symbol],
        known.map(({ at, spreadPct }) => ({
          at,
          side: spreadPct >= options.exit * usual ? 'WIDE' : null,
          strong: spreadPct >= options.enter * usual && spreadPct >= options.minPct,
        })),
        options,
      );
      if (next === undefined) continue;
      symbols[symbol] = next;
      for (const [status] of told) changes.push(change(status, symbol, known, current, usual));
    }
    return { state: { symbols }, changes };
  },
});

function change(
  status: Change['status'],
  symbol: string,
  rows: readonly Row[],
  current: Row,
  usual: number,
): Change {
  const pct = (value: number) => msg('{value}%', { value: number(value, 4) });
  const times = current.spreadPct / usual;
  return {
    status,
    labels: { kind: 'wide-spread', symbol },
    severity: 'info',
    annotations: {
      title:
        status === 'resolved'
          ? msg('{symbol} spread back to normal: {spread}', {
              symbol: marketName(symbol),
              spread: pct(current.spreadPct),
            })
          : msg('{symbol} spread is wide: {spread}, {times} × normal', {
              symbol: marketName(symbol),
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
      chart: charted(msg('Spread of {symbol}', { symbol: marketName(symbol) }), {
        unit: '%',
        series: [{ name: marketName(symbol), points: points(rows, ({ spreadPct }) => spreadPct) }],
        marks: [{ name: msg('usual'), value: usual }],
      }),
      prominence: times,
      dataTime: current.at,
    },
  };
}
