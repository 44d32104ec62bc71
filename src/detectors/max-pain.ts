import { askEach } from '../client/ask-each.ts';
import { number, percent, price, share, span, time } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { day, hour, iso, minute } from '../runtime/units.ts';
import { defineEpisodes, setting } from './kit/define-episodes.ts';
import type { Sample } from './kit/episode.ts';
import { points, series } from './kit/series.ts';

/** The ages above which a price and an options row say nothing about the present. Options rows come every 15 minutes. */
const staleAfter = { price: 15 * minute, row: hour } as const;

/**
 * Alerts when the price is near max pain, the strike at which option holders are paid least, while the monthly expiry
 * approaches. A row's max pain is that of the nearest monthly expiry: the last Friday of the month,
 * 08:00 UTC, as at Deribit; the row does not name it. The episode ends with the expiry, or once the price is further
 * than `leave` away. The two distances, `enter` and `leave`, are the hysteresis; one expiry is reported at most once
 * within the cooldown.
 */
export default defineEpisodes({
  name: 'max-pain',
  description: msg('The price of BTC or ETH is near max pain as the monthly options approach their expiry'),
  preset: 'everything',
  smallest: ({ enter, within }) =>
    msg('within {size} of max pain, {within} before the expiry', {
      size: share(enter / 100),
      within: span(within),
    }),
  schedule: '55 */15 * * * *',
  cost: 'the requests are options-flip’s',
  options: {
    within: setting.duration('48h', 'before the monthly expiry'),
    enter: setting.positive(1, 'percent of the price from max pain'),
    leave: setting.positive(3, 'percent beyond which it has moved away'),
    confirm: setting.integer(4, 'looks in a row, each at a newer price: an hour'),
    cooldown: setting.duration('48h', 'after its end, for the same expiry'),
  },
  check: [({ enter, leave }) => enter <= leave, 'leave must not be below enter'],
  rules: (options) => options,
  /** A day of prices, as often as options rows come. */
  trail: { interval: 15 * minute, maxValues: 96 },

  async observe({ data, signal }) {
    const overview = await data.marketOverview({}, signal);
    const priceOf = (symbol: string) => overview.coins.find((coin) => coin.symbol === symbol)?.price;
    const markets = await askEach(['BTC', 'ETH'], async (currency: 'BTC' | 'ETH') => {
      const { data: rows } = await data.optionsSummary({ currency }, signal);
      return { currency, rows, price: priceOf(`${currency}USDT`) };
    });
    return { at: Date.parse(overview.timestamp), markets: [...markets.values()] };
  },

  look: ({ at, markets }, { options: { within, enter, leave }, now, values }) =>
    markets.map(({ currency: key, rows: given, price }) => {
      const row = series(given, { now, since: now - staleAfter.row - 1 }).at(-1);
      const isKnown = at <= now && now - at <= staleAfter.price && row !== undefined && row.maxPain > 0;
      // `away`: how far the price is from max pain, percent of max pain, signed.
      const seen = isKnown && price !== undefined && { price, row, away: (price / row.maxPain - 1) * 100 };
      const until = Date.parse(values[key]?.open?.side ?? '');
      const expired = until <= now;
      // At its expiry the episode ends, even if the price is not known.
      const samples: Sample<never>[] = expired ? [{ at: until, side: null }] : [];
      if (seen) {
        const expiry = monthlyExpiry(seen.row.at);
        const away = Math.abs(seen.away);
        const near = at >= expiry - within && at < expiry && away <= leave;
        samples.push({ at, side: near ? iso(expiry) : null, strong: near && away <= enter });
      }
      return { key, samples, ...(seen && { trace: [at, seen.price] as const }), seen, expired, given, at };
    }),

  labelsOf: (currency, expiry) => ({ symbol: `${currency}USDT`, expiry: expiry.slice(0, 10) }),

  tell({ status, side: expiry, seen: counted }, { seen: about, now, past }) {
    const { key: currency, seen, expired, given, at } = about;
    const when = Date.parse(expiry);
    const left = span(when - counted);
    return {
      title:
        status === 'firing'
          ? msg('{currency} is near max pain, {left} before the monthly expiry', { currency, left })
          : expired
            ? msg('{currency} monthly options have expired', { currency })
            : msg('{currency} has moved away from max pain', { currency }),
      summary: msg(
        'Max pain is the price at which holders of the expiring options are paid least. That prices are drawn to it is often said and weakly shown.',
      ),
      facts: [
        seen && [msg('Price'), price(seen.price)],
        seen && [msg('Max pain'), price(seen.row.maxPain)],
        seen && [msg('Distance'), percent(seen.away)],
        seen && [msg('Put/call of all expiries'), number(seen.row.putCallRatio, 2)],
        [msg('Expiry'), time(when)],
      ],
      picture: {
        subject: msg('{currency}: price and max pain', { currency }),
        unit: 'USDT',
        series: [
          { name: msg('Price'), points: past },
          { name: msg('Max pain'), points: points(series(given, { now }), ({ maxPain }) => maxPain) },
        ],
      },
      dataTime: seen ? at : counted,
    };
  },
});

/** Returns the first monthly expiry after a time, market ms: the last Friday of a month, 08:00 UTC. */
function monthlyExpiry(after: number): number {
  const date = new Date(after);
  const expiryOf = (month: number): number => {
    const last = Date.UTC(date.getUTCFullYear(), month + 1, 0, 8);
    return last - ((new Date(last).getUTCDay() + 2) % 7) * day;
  };
  const first = expiryOf(date.getUTCMonth());
  return first > after ? first : expiryOf(date.getUTCMonth() + 1);
}
