import { expect, it } from 'vitest';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { day } from '#src/runtime/units.ts';
import { fredMacro } from '#src/service/exchanges/fred.ts';
import type { Transport } from '#src/service/exchanges/transport.ts';
import { askEverything, watchRequests } from '#src/service/venues/live-requests.ts';
import { openExchanges } from '#src/service/venues/open-exchanges.ts';
import { loadVenues } from '#src/service/venues/venue.ts';
import { calmMarket as market } from '#test/support/calm-market.ts';
import { createAnswers, venueRoots } from '#test/support/venues/answers.ts';
import { recorded as bybit } from '../../fixtures/bybit-payloads.ts';
import { recorded as hyperliquid } from '../../fixtures/hyperliquid-payloads.ts';
import { recorded as okx } from '../../fixtures/okx-payloads.ts';
import { recorded } from '../../fixtures/upstream-payloads.ts';

/** The recorded answer to each request, by its name in errors. The tests of payloads check that they parse. */
const recordings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  binance: {
    '/fapi/v1/time': recorded.time.body,
    '/fapi/v1/exchangeInfo': recorded.exchangeInfo.body,
    '/fapi/v1/ticker/24hr': recorded.ticker24hr.body,
    '/fapi/v1/fundingInfo': recorded.fundingInfo.body,
    '/fapi/v1/fundingRate': recorded.fundingRate.body,
    '/fapi/v1/klines': recorded.klines.body,
    '/fapi/v1/markPriceKlines': recorded.markPriceKlines.body,
    '/fapi/v1/indexPriceKlines': recorded.indexPriceKlines.body,
    '/fapi/v1/premiumIndex': recorded.premiumIndex.body,
    '/fapi/v1/openInterest': recorded.openInterest.body,
    '/fapi/v1/ticker/bookTicker': recorded.bookTicker.body,
    '/futures/data/openInterestHist': recorded.openInterestHist.body,
    '/futures/data/topLongShortPositionRatio': recorded.topLongShortPositionRatio.body,
    '/futures/data/globalLongShortAccountRatio': recorded.globalLongShortAccountRatio.body,
  },
  bybit: {
    '/v5/market/time': bybit.time,
    '/v5/market/instruments-info': bybit.stock,
    '/v5/market/tickers': bybit.tickers,
    '/v5/market/kline': bybit.candles,
    '/v5/market/mark-price-kline': bybit.closes,
    '/v5/market/index-price-kline': bybit.indexCloses,
    '/v5/market/funding/history': bybit.settlements,
    '/v5/market/open-interest': bybit.interests,
    '/v5/market/account-ratio': bybit.ratios,
    '/v5/market/risk-limit': bybit.riskLimits,
  },
  hyperliquid: {
    exchangeStatus: hyperliquid.status,
    meta: hyperliquid.meta,
    metaAndAssetCtxs: hyperliquid.contexts,
    candleSnapshot: hyperliquid.candles,
    fundingHistory: hyperliquid.settlements,
  },
  okx: {
    '/api/v5/public/time': okx.time,
    '/api/v5/public/instruments': okx.instruments,
    '/api/v5/public/funding-rate': okx.funding,
    '/api/v5/public/funding-rate-history': okx.settlements,
    '/api/v5/public/mark-price': okx.mark,
    '/api/v5/public/open-interest': okx.interest,
    '/api/v5/public/position-tiers': okx.tiers,
    '/api/v5/market/tickers': okx.ticker,
    '/api/v5/market/index-tickers': okx.index,
    // Both have the same rows (okx.com/docs-v5).
    '/api/v5/market/candles': okx.candles,
    '/api/v5/market/history-candles': okx.candles,
    '/api/v5/market/mark-price-candles': okx.closes,
    '/api/v5/market/index-candles': okx.indexCloses,
    '/api/v5/rubik/stat/contracts/open-interest-history': okx.pastInterests,
    '/api/v5/rubik/stat/contracts/long-short-account-ratio-contract': okx.ratios,
    '/api/v5/rubik/stat/contracts/long-short-position-ratio-contract-top-trader': okx.ratios,
  },
};
const beside: Readonly<Record<string, string>> = {
  'deribit /api/v2/public/get_book_summary_by_currency': recorded.bookSummary.body,
  'fear-greed /fng/': recorded.fearGreed.body,
  'stablecoins /stablecoincharts/all': recorded.stablecoins.body,
  'fred /fred/series/observations': recorded.fred.body,
};

const now = Date.UTC(2025, 5, 3, 10, 7, 30);
const answer = createAnswers({ market, clock: realTime({ now: () => now }) });
const { signal } = new AbortController();

/** The simulator, recording the requests. */
function listening() {
  const asked = new Set<string>();
  const transport: Transport = {
    async get(question, { target, post }) {
      asked.add(question);
      // The simulator does not have this source.
      if (question.startsWith('fred ')) return { status: 200, headers: {}, text: recorded.fred.body };
      const { status, headers, body } = answer(target, post);
      return { status, headers, text: body };
    },
    close: async () => {},
  };
  return { asked, transport };
}
const site = 'https://exchange.example';

it.each((await loadVenues()).map((venue) => [venue.title, venue] as const))(
  'every request to %s has a recorded answer',
  async (_, venue) => {
    const { asked, transport } = listening();
    const root = Object.entries(venueRoots).find(([name]) => name === venue.name)?.[1] ?? '';
    const client = venue.open({ url: `${site}${root}`, wall: wallClock, signal, transport });
    const watched = watchRequests({ paths: [], wall: wallClock, signal, proxy: undefined });
    await askEverything(client, { watched, macro: venue.macro, now, signal, onMarkets() {} });
    const own = Object.keys(recordings[venue.name] ?? {}).map((question) => `${venue.name} ${question}`);
    expect([...asked].sort()).toEqual(own.sort());
  },
);

it('every other request has a recorded answer', async () => {
  const { asked, transport } = listening();
  const urls = { venues: {}, deribit: site, fearGreed: site, stablecoins: site };
  const [venue] = await loadVenues();
  if (venue === undefined) throw new Error('no venue');
  const exchanges = openExchanges(urls, { venue, wall: wallClock, signal, transport });
  const { markets: _, deribit, fearGreed, stablecoins } = exchanges;
  const fred = fredMacro({ url: site, key: 'key', wall: wallClock, signal, transport });
  await Promise.all([
    deribit.chain('BTC'),
    fearGreed.index(2),
    stablecoins.supply(),
    fred.read('vix', { from: now - day, to: now }),
  ]);
  expect([...asked].sort()).toEqual(Object.keys(beside).sort());
});
