import type { Logger } from 'pino';
import { type Change, type FirstMover, type Labels, type MarketThen, severityRank } from '../alert/alert.ts';
import { kindFacts, type MarketKinds } from '../alert/market-kind.ts';
import { marketSymbol } from '../alert/outcome.ts';
import type { DataClient } from '../contract/data-client.ts';
import type { WallClock } from '../runtime/clock.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { createKept } from '../runtime/kept.ts';
import { day, hour, iso, minute, second } from '../runtime/units.ts';
import { firstMover, type Track } from './first-mover.ts';
import { priceCharts } from './price-chart.ts';

/** How long an alert waits for what its market is like, wall ms: later than this it is told without. */
const patience = 2 * second;
/** A price that is older than this says nothing about the moment, market ms. */
const freshFor = 10 * minute;
/** From this change in an hour on it is asked what moved first, percent; in how many markets at once; and how long it holds. */
const asksFrom = 1;
const maxAsked = 3;
const holdsFor = 15 * minute;
/** More markets than move within that time. */
const maxKept = 500;
/** The most liquidations in one answer; of more, only the newest are known. */
const mostEvents = 500;
/** What the answers cover, hours: what is searched, and the day before it. */
const covered = 27;

type Answer<Name extends keyof DataClient> = Awaited<ReturnType<DataClient[Name]>>;

interface MarketThenOptions {
  readonly data: Pick<
    DataClient,
    'prices' | 'candles' | 'basis' | 'oiMomentum' | 'liquidations' | 'venueLiquidations' | 'venues'
  >;
  readonly meta: () => Answer<'meta'> | undefined;
  readonly now: () => number;
  readonly wall: WallClock;
  readonly log: Pick<Logger, 'debug'>;
}

/** Adds to alerts what their markets are like at the moment at which they are told. It never rejects. */
export type TellMarket = (changes: readonly Change[]) => Promise<readonly Change[]>;

export function createTellMarket({ data, meta, now, wall, log }: MarketThenOptions): TellMarket {
  const found = createKept<FirstMover | null | undefined>({ holds: holdsFor, most: maxKept, clock: { now } });

  /** Without a signal: batches share it, and none may end it for the others. The client limits the time of each request. */
  const findFirst = (symbol: string) => {
    const at = now();
    const look = async () => firstMover(await movementsOf(symbol, { data, at }), at);
    return found.get(symbol) ?? found.put(symbol, look());
  };

  /** Returns what adds to a change what its market is like, as far as it is known by the time `signal` aborts. */
  const knowMarkets = async (changes: readonly Change[], signal: AbortSignal) => {
    const isAboutMarkets = changes.some(
      ({ status, labels }) => status !== 'resolved' && symbolOf(labels) !== undefined,
    );
    const prices = isAboutMarkets ? await ifAnswered(data.prices({}, signal), signal) : undefined;
    const rows = new Map(prices?.data.map((row) => [row.symbol, row]));
    const at = now();
    const moving = changes
      .flatMap(({ status, labels: { symbol = '' }, severity }) => {
        const size = Math.abs(rows.get(symbol)?.change1hPct ?? 0);
        return status === 'firing' && size >= asksFrom
          ? [{ symbol, rank: severityRank(severity), size }]
          : [];
      })
      .sort((a, b) => b.rank - a.rank || b.size - a.size);
    const asked = [...new Set(moving.map(({ symbol }) => symbol))].slice(0, maxAsked);
    const firsts = new Map(
      await Promise.all(
        asked.map(async (symbol) => [symbol, await ifAnswered(findFirst(symbol), signal)] as const),
      ),
    );
    return (change: Change): Change => {
      const row = rows.get(symbolOf(change.labels) ?? '');
      if (change.status === 'resolved' || row === undefined || at - Date.parse(row.timestamp) > freshFor)
        return change;
      const { symbol, price, change1hPct, change24hPct } = row;
      const pages = pagesOf(symbol, meta()?.pages ?? []);
      const imitated = meta()?.source === 'live' ? undefined : true;
      const first = firsts.get(symbol);
      const market: MarketThen = { price, change1hPct, change24hPct, first, pages, imitated };
      return { ...change, annotations: { ...change.annotations, market } };
    };
  };

  return async (given) => {
    const changes = given.map((change) => withKind(change, meta()?.kinds ?? {}));
    const [late, done] = [new AbortController(), new AbortController()];
    const { signal } = late;
    wall.sleep(patience, done.signal).then(
      () => late.abort(new DOMException('no answer in time', 'TimeoutError')),
      () => undefined,
    );
    try {
      const [charted, withMarket] = await Promise.all([
        priceCharts(changes, { data, now: now(), signal }),
        knowMarkets(changes, signal),
      ]);
      return charted.map(withMarket);
    } catch (error) {
      log.debug({ err: error }, 'alerts are told without the price of their markets');
      return changes;
    } finally {
      done.abort();
    }
  };
}

/** Kinds about the market as a whole, of which bitcoin's price tells where it stands. */
const ofWholeMarket: ReadonlySet<string> = new Set(['regime-transition', 'volatility-regime']);

const symbolOf = ({ symbol, kind }: Labels): string | undefined =>
  symbol ?? (ofWholeMarket.has(kind) ? marketSymbol : undefined);

/** Says in the alert of a market that is no coin's what it is. */
function withKind(change: Change, kinds: MarketKinds): Change {
  const told = kindFacts([change.labels.symbol ?? []].flat(), kinds);
  if (told.length === 0) return change;
  const { annotations } = change;
  return { ...change, annotations: { ...annotations, facts: [...annotations.facts, ...told] } };
}

/** Reads how a market and its price at other venues moved. What is not offered is left out. @throws ApiError without a price */
async function movementsOf(
  symbol: string,
  { data, at }: Pick<MarketThenOptions, 'data'> & { readonly at: number },
) {
  const forced = { symbol, since: iso(at - day - 3 * hour), limit: mostEvents };
  const [basis, interest, liquidations, venues] = await Promise.all([
    data.basis({ symbol, hours: covered }),
    ifAnswered(data.oiMomentum({ symbol, hours: covered })),
    ifAnswered(data.venueLiquidations(forced)).then((all) => all ?? ifAnswered(data.liquidations(forced))),
    ifAnswered(data.venues({})),
  ]);
  const others = (venues?.data ?? []).filter(({ primary, answers }) => !primary && answers);
  const told = await Promise.all(
    others.map(async ({ venue, title }) => {
      const answer = await ifAnswered(data.basis({ symbol, hours: covered, venue }));
      // A service that does not know the parameter answers for its primary venue, and names none.
      return answer?.venue === venue ? [[title, pricesOf(answer)] as const] : [];
    }),
  );
  const events = (liquidations?.data ?? []).map(
    (row) => [Date.parse(row.event_time), row.usd_value] as const,
  );
  return {
    price: pricesOf(basis),
    basis: basis.data.map(({ timestamp, basisPct }) => [Date.parse(timestamp), basisPct] as const),
    interest: (interest?.data ?? []).map(({ timestamp, oi }) => [Date.parse(timestamp), oi] as const),
    liquidations: events,
    liquidationsFrom:
      liquidations === undefined
        ? at
        : events.length < mostEvents
          ? 0
          : Math.min(...events.map(([time]) => time)),
    venues: new Map(told.flat()),
  };
}

const pricesOf = ({ data }: Answer<'basis'>): Track =>
  data.map(({ timestamp, markPrice }) => [Date.parse(timestamp), markPrice] as const);

/** A unit of many coins: each venue has its own name for it, which a pattern over the coin's name does not give. */
const unit = /^1(?:0{3,}|M)(?=\D)/;

function pagesOf(symbol: string, patterns: NonNullable<Answer<'meta'>['pages']>): MarketThen['pages'] {
  const [, base = symbol, quote = 'USDT'] = /^(.+)(USD[TC])$/.exec(symbol) ?? [];
  return patterns.flatMap(({ title, url }) => {
    if (unit.test(base) && !url.includes('{symbol}')) return [];
    // The page of the same coin's market against USDT is another market's.
    if (quote !== 'USDT' && /usdt/i.test(url)) return [];
    const filled = url
      .replaceAll('{symbol}', encodeURIComponent(symbol))
      .replaceAll('{base}', encodeURIComponent(base))
      .replaceAll('{coin}', encodeURIComponent(base.toLowerCase()));
    return [{ title, url: filled }];
  });
}
