import { z } from 'zod';
import type { Change } from '../alert/alert.ts';
import { askEach } from '../client/each.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { number, percent, price, span, time } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { day, duration, hour, iso, minute } from '../runtime/units.ts';
import { defineDetector } from './detector.ts';
import { type Followed, follow, followed, type Sighting } from './kit/follow.ts';
import { series, type Timed } from './kit/series.ts';

const currencies = ['BTC', 'ETH'] as const;
/** Prices move: above this age one says nothing of how near it is. Options rows come every 15 minutes. */
const stale = { price: 15 * minute, row: hour } as const;

type Row = Timed<EndpointAnswer<'optionsSummary'>['data'][number]>;

/**
 * The price is near max pain, the strike at which option holders are paid least, while the monthly expiry
 * approaches. A row's max pain is that of the nearest monthly expiry (domain notes): the last Friday of the month,
 * 08:00 UTC, as Deribit's are; the row does not name it. It ends with the expiry, or once the price is further than
 * `leave` away. Hysteresis by two distances; one expiry is told once at most within the cooldown.
 */
export default defineDetector({
  name: 'max-pain',
  description: msg('The price of BTC or ETH is near max pain as the monthly options approach their expiry'),
  preset: 'everything',
  schedule: '55 8-59/15 * * * *',
  options: z
    .object({
      /** Before the expiry. */
      within: duration.prefault('48h'),
      /** Percent of the price from max pain at which it begins, and beyond which it ends. */
      enter: z.number().positive().default(1),
      leave: z.number().positive().default(3),
      /** Prices in a row, of 15 minutes each. */
      confirm: z.int().min(1).default(4),
      cooldown: duration.prefault('48h'),
    })
    .refine(({ enter, leave }) => enter <= leave, 'leave must not be below enter'),
  state: z.object({ currencies: z.record(z.string(), followed) }),

  async observe({ data, signal }) {
    const overview = await data.marketOverview({}, signal);
    const priceOf = (symbol: string) => overview.coins.find((coin) => coin.symbol === symbol)?.price;
    const answers = await askEach(currencies, (currency) => data.optionsSummary({ currency }, signal));
    return {
      at: Date.parse(overview.timestamp),
      markets: [...answers].map(([currency, { data: rows }]) => ({
        currency,
        rows,
        price: priceOf(`${currency}USDT`),
      })),
    };
  },

  step(state, { at, markets }, { options, now }) {
    const known: Record<string, Followed> = { ...state?.currencies };
    const changes: Change[] = [];
    for (const { currency, rows, price } of markets) {
      const past = known[currency];
      const seen = look(series(rows, now).at(-1), price, at, now);
      const over = past?.open && Date.parse(past.open.side) <= now ? Date.parse(past.open.side) : undefined;
      const { next, told } = follow(
        past,
        [
          // It is over by the calendar, also where nothing is known of the price.
          ...(over === undefined ? [] : [{ at: over, side: null, strong: false }]),
          ...(seen === undefined ? [] : [sighting(seen, options)]),
        ],
        { ...options, calm: 1 },
      );
      if (next === undefined) continue;
      known[currency] = next;
      for (const [status, expiry] of told)
        changes.push(change(status, { currency, expiry, seen, over: over !== undefined, at: next.seen }));
    }
    return { state: { currencies: known }, changes };
  },
});

interface Look {
  readonly at: number;
  readonly price: number;
  readonly row: Row;
  readonly expiry: number;
  /** Percent of the price from max pain, signed. */
  readonly away: number;
}

/** undefined where price or max pain is not known, or too old. */
function look(row: Row | undefined, price: number | undefined, at: number, now: number): Look | undefined {
  if (row === undefined || price === undefined || !(row.maxPain > 0)) return undefined;
  if (at > now || now - at > stale.price || now - row.at > stale.row) return undefined;
  return { at, price, row, expiry: monthlyExpiry(row.at), away: (price / row.maxPain - 1) * 100 };
}

/** The first last Friday of a month, 08:00 UTC, after the time. */
function monthlyExpiry(after: number): number {
  const date = new Date(after);
  const of = (month: number): number => {
    const last = Date.UTC(date.getUTCFullYear(), month + 1, 0, 8);
    return last - ((new Date(last).getUTCDay() + 2) % 7) * day;
  };
  const first = of(date.getUTCMonth());
  return first > after ? first : of(date.getUTCMonth() + 1);
}

function sighting(
  { at, expiry, away }: Look,
  { within, enter, leave }: { readonly within: number; readonly enter: number; readonly leave: number },
): Sighting {
  const near = at >= expiry - within && at < expiry && Math.abs(away) <= leave;
  return { at, side: near ? iso(expiry) : null, strong: near && Math.abs(away) <= enter };
}

interface Told {
  readonly currency: string;
  /** ISO 8601. */
  readonly expiry: string;
  readonly seen: Look | undefined;
  readonly over: boolean;
  readonly at: number;
}

function change(status: Change['status'], { currency, expiry, seen, over, at }: Told): Change {
  const when = Date.parse(expiry);
  return {
    status,
    labels: { kind: 'max-pain', symbol: `${currency}USDT`, expiry: expiry.slice(0, 10) },
    severity: 'info',
    annotations: {
      title:
        status === 'firing'
          ? msg('{currency} is near max pain, {left} before the monthly expiry', {
              currency,
              left: span(when - at),
            })
          : over
            ? msg('{currency} monthly options have expired', { currency })
            : msg('{currency} has moved away from max pain', { currency }),
      summary: msg(
        'Max pain is the price at which holders of the expiring options are paid least. That prices are drawn to it is often said and weakly shown.',
      ),
      facts: [
        ...(seen === undefined
          ? []
          : [
              { name: msg('Price'), value: price(seen.price) },
              { name: msg('Max pain'), value: price(seen.row.maxPain) },
              { name: msg('Distance'), value: percent(seen.away) },
              { name: msg('Put/call of all expiries'), value: number(seen.row.putCallRatio, 2) },
            ]),
        { name: msg('Expiry'), value: time(when) },
      ],
      dataTime: seen?.at ?? at,
    },
  };
}
