import { z } from 'zod';
import type { Chart, Fact } from '../alert/alert.ts';
import { ratePer } from '../alert/rate-per.ts';
import { expandGroups, symbolGroup } from '../alert/symbols.ts';
import type { Card } from '../card/card.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { settlementHours } from '../contract/settlements.ts';
import {
  labelTitle,
  marketName,
  number,
  percent,
  price,
  share,
  signed,
  span,
  time,
  usd,
} from '../language/format.ts';
import { msg } from '../language/text.ts';
import { closeDayAgo } from '../rules/day-ago.ts';
import { compact } from '../runtime/compact.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { day, hour } from '../runtime/units.ts';
import { coveredLength } from '../runtime/window.ts';
import { type CommandContext, defineCommand } from '../shell/command.ts';
import { awaitPart, staleDataFacts } from '../shell/failure.ts';
import { symbolOrGroup } from '../shell/input.ts';
import { marketPicture } from './kit/market-chart.ts';
import { overviewOf, priceRow, regimeWords } from './kit/overview.ts';
import type { Points } from './kit/series.ts';

const bitcoin = 'BTCUSDT';

export default defineCommand({
  name: 'coin',
  shorthand: (words) => words.filter(({ key, text }) => key !== undefined || text.toLowerCase() !== 'of'),
  otherNames: ['price'],
  questionWords: ['dump', 'pump', 'move', 'fall', 'fell', 'drop', 'rise', 'rose', 'happen', 'worth'],
  ofMarkets: 'one',
  showsPlace: true,
  description: msg('One market on one card: price, volume, funding, open interest, ratio, signal'),
  input: z.object({
    symbol: symbolOrGroup.describe('Market, e.g. BTCUSDT; or watchlist, top20').default('BTCUSDT'),
  }),
  async run({ symbol }, context) {
    const { data, store, caller, universe, now, signal } = context;
    if (symbolGroup(symbol) === symbol) {
      const followed = await store.watchlist.of(caller.receiver);
      return overviewOf(labelTitle(symbol), {
        ...context,
        symbols: expandGroups([symbol], universe, followed),
      });
    }
    const asked = priceRow(symbol, context);
    const longRatio = async (): Promise<number | undefined> =>
      (await asked)?.longRatio ?? (await data.lsRatioHistory({ symbol }, signal)).data.at(-1)?.longRatio;
    const asking = Promise.all([
      data.intelligence({ symbol }, signal),
      asked,
      asked.then((row) => (row === undefined ? closeDayAgo(symbol, { data, now, signal }) : undefined)),
      awaitPart(msg('Open interest momentum'), data.oiMomentum({ symbol }, signal)),
      awaitPart(msg('The long/short ratio'), longRatio()),
      awaitPart(msg('The regime'), regimeOf(symbol, { data, signal })),
    ]);
    // The card does not wait for its picture, which asks many more questions.
    const drawing = ifAnswered(marketPicture(symbol, { ...context, interval: '1h' }));
    const drawn = drawing.then((picture) => ({ picture }));
    // Whoever shows the answer awaits it later, if at all.
    drawing.catch(() => undefined);
    drawn.catch(() => undefined);
    const [[coin, row, dayAgo, momentum, ratio, regime]] = await Promise.all([asking, context.soon(drawn)]);
    const soon = await Promise.race([drawn, undefined]);
    // Candles carry the time at which they opened.
    const closes = coin.candles24h.map(
      ({ open_time, c }) => [Math.min(now, Date.parse(open_time) + hour), Number(c)] as const,
    );
    const change24h = row?.change24hPct ?? (dayAgo && (coin.price / dayAgo - 1) * 100);
    const settlementTimes = coin.fundingHistory.map(({ timestamp }) => Date.parse(timestamp));
    const openInterest = Number(coin.oiHistory.at(-1)?.oi_value_usd ?? Number.NaN);
    const lastCloseAt = closes.at(-1)?.[0];
    // The answer has no time for its price, but the price is no older than the newest of the answer's parts.
    const dataTime = newestOf([lastCloseAt, Date.parse(coin.oiHistory.at(-1)?.timestamp ?? '')]);
    const prices =
      dataTime === undefined || lastCloseAt === undefined
        ? closes
        : [...closes.filter(([at]) => at < dataTime), [dataTime, coin.price] as const];
    const card: Card = {
      title: msg('{symbol}: {price}', { symbol: marketName(coin.symbol), price: price(coin.price) }),
      facts: compact([
        row?.change1hPct !== undefined && { name: msg('1 h'), value: percent(row.change1hPct) },
        ...(change24h === undefined
          ? changeFact(coin.price, { closes, at: dataTime ?? now })
          : [{ name: msg('24 h'), value: percent(change24h) }]),
        ...fundingFacts(coin.funding, settlementTimes),
        Number.isFinite(openInterest) && { name: msg('Open interest'), value: usd(openInterest) },
        ...momentum.missing,
        momentum.value?.current && {
          name: msg('OI momentum'),
          value: msg('{signal}, {pct} in 5 min', {
            signal: labelTitle(momentum.value.signal),
            pct: percent(momentum.value.current.ratePct),
          }),
        },
        ...ratio.missing,
        ratio.value !== undefined && {
          name: msg('Top traders'),
          value: msg('{share} long', { share: share(ratio.value, 1) }),
        },
        coin.signal !== undefined && { name: msg('Signal'), value: signed(coin.signal) },
        ...regime.missing,
        regime.value && {
          name:
            symbol === bitcoin || regime.value.symbol !== undefined ? msg('Regime') : msg('Market regime'),
          value: msg('{regime}, score {score}', {
            regime: regimeWords(regime.value),
            score: number(regime.value.current.score),
          }),
        },
        coin.fearGreed !== undefined && {
          name: msg('Fear and greed'),
          value: msg('{value} of 100', { value: number(coin.fearGreed, 0) }),
        },
        coin.followedSince !== undefined && {
          name: msg('Followed since'),
          value: time(Date.parse(coin.followedSince)),
        },
        ...staleDataFacts(lastCloseAt, { now, limit: 2 * hour }),
      ]),
      actions: [
        { label: msg('Chart'), command: `chart ${coin.symbol}` },
        { label: msg('Funding'), command: `funding ${coin.symbol}` },
        { label: msg('Open interest'), command: `oi ${coin.symbol}` },
        { label: msg('Subscribe'), command: `subscribe ${coin.symbol}` },
      ],
      dataTime,
    };
    const whole = (picture: Awaited<typeof drawing>): Card => {
      if (picture === undefined)
        return closes.length < 2 ? card : { ...card, chart: priceChart(coin.symbol, prices) };
      const { chart, missing } = picture;
      return {
        ...card,
        facts: [...(card.facts ?? []), ...missing],
        chart: { ...chart, marks: [...(chart.marks ?? []), lastPrice(coin.price)] },
      };
    };
    if (soon !== undefined) return whole(soon.picture);
    const later = drawing.then(whole, (error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    return { ...card, later };
  },
});

/** Draws the prices alone, where there are no candles. */
const priceChart = (symbol: string, prices: Points): Chart => ({
  title: msg('{symbol} price, last {length}', {
    symbol: marketName(symbol),
    length: span(coveredLength(prices, day)),
  }),
  unit: 'USDT',
  series: [{ name: msg('Price'), points: prices }],
});

const lastPrice = (price: number) => ({ name: msg('now'), value: price, tone: 'neutral' as const });

/** Asks for the market's own regime; where it has none yet, for that of the whole market. */
async function regimeOf(
  symbol: string,
  { data, signal }: Pick<CommandContext, 'data' | 'signal'>,
): Promise<EndpointAnswer<'regimeProbabilities'>> {
  // Bitcoin's regime is that of the whole market, which every service has.
  const own = symbol === bitcoin ? undefined : await ifAnswered(data.regimeProbabilities({ symbol }, signal));
  return own ?? data.regimeProbabilities({}, signal);
}

/**
 * Writes the change since the oldest close, of a young market or of a service that does not say the change over 24 h: its
 * answer has 24 hourly closes. It is named in whole hours, so that it has the same name each time.
 */
function changeFact(
  last: number,
  { closes: [first], at }: { readonly closes: Points; readonly at: number },
): Fact[] {
  if (first === undefined || first[1] === 0) return [];
  const length = at - first[0];
  const name = msg('Change in {length}', { length: span(length < hour ? length : length - (length % hour)) });
  return [{ name, value: percent((last / first[1] - 1) * 100) }];
}

const newestOf = (times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((at): at is number => at !== undefined && Number.isFinite(at));
  return known.length === 0 ? undefined : Math.max(...known);
};

/** Writes the funding rate with the time of its settlement, which is hours before the time of the price beside it. */
function fundingFacts(rate: number | undefined, times: readonly number[]): Fact[] {
  if (rate === undefined) return [];
  const rateText = ratePer(rate, settlementHours(times));
  const last = times.at(-1);
  const value =
    last === undefined
      ? msg('{rate}, running', { rate: rateText })
      : msg('{rate}, settled {at}', { rate: rateText, at: time(last) });
  return [{ name: msg('Funding'), value }];
}
