import type { Fetched } from '../../../client/create-client.ts';
import { contract, type EndpointAnswer, type EndpointName, type Query } from '../../../contract/index.ts';
import type {
  BoardEntries,
  Figure,
  RegimeBreadth,
  RegimeNow,
  RegimePast,
  SeenAt,
} from '../../../platforms/web/ports/board.ts';
import { closedHours } from '../../../rules/day-ago.ts';
import { day, hour, minute } from '../../../runtime/units.ts';
import { addChanges, addCloses, addPrice, addSettlement, type MarketMemory } from './market.ts';
import { stretchesOf, thinOut } from './past.ts';
import type { createTape } from './tape.ts';

/** The state from which the board's entries are made. */
export interface BoardState {
  readonly tape: ReturnType<typeof createTape>;
  /** Returns what is known of the symbol's market; creates an entry if there is none. */
  market(symbol: string): MarketMemory;
  /** Forgets the markets whose newest price is older than `at`, market ms. Those without a price are kept. */
  forgetPricedBefore(at: number): void;
  regime?: RegimeNow;
  breadth?: RegimeBreadth;
  past: RegimePast;
  seen: NonNullable<BoardEntries['seen']>;
  recordUpdate(figure: Figure, seen: SeenAt & { readonly symbol?: string }): void;
}

interface Given<Name extends EndpointName> {
  readonly query: Query<Name>;
  /** When the answer arrived, market ms. */
  readonly at: number;
}
type Readings = {
  readonly [Name in EndpointName]?: (
    state: BoardState,
    answer: EndpointAnswer<Name> & { readonly given: Given<Name> },
  ) => void;
};

/** The time that the band of regimes shows, ms. */
const regimePeriod = 30 * day;

/** Takes the board's figures from each endpoint's answer. `every` is the detectors' schedule: how often a figure comes in. */
function addLiquidations(
  state: BoardState,
  {
    data,
    given: { query, at },
  }: Pick<EndpointAnswer<'liquidations'>, 'data'> & {
    readonly given: Given<'liquidations' | 'venueLiquidations'>;
  },
): void {
  const events = data.map(({ symbol, side, price, usd_value, event_time }) => ({
    symbol,
    side,
    price: Number(price),
    usd: usd_value,
    at: Date.parse(event_time),
  }));
  state.tape.addEvents(events, at);
  // The liquidations of a single market say nothing about the other markets.
  if (query.symbol === undefined) state.recordUpdate('liquidations', { at, every: minute });
}

function addFundingZ(
  state: BoardState,
  { data }: Pick<EndpointAnswer<'fundingExtremes' | 'fundingStandings'>, 'data'>,
): void {
  for (const { symbol, zScore } of data) state.market(symbol).fundingZ = zScore;
}

const readings: Readings = {
  marketOverview(state, { coins, timestamp, given: { at } }) {
    for (const { symbol, price } of coins)
      addPrice(state.market(symbol), { value: price, at: Date.parse(timestamp) });
    // A market that is not listed is not tracked any more. If none is listed, the service has no data at present.
    if (coins.length > 0) state.forgetPricedBefore(Date.parse(timestamp));
    state.recordUpdate('price', { at, every: 2 * minute });
  },
  prices(state, { data, given: { at } }) {
    for (const { symbol, timestamp, basisPct, longRatio, ...row } of data) {
      const market = state.market(symbol);
      addChanges(market, { ...row, at: Date.parse(timestamp) });
      market.basis = basisPct;
      market.longShare = longRatio;
      if (basisPct !== undefined) state.recordUpdate('basis', { at, every: 15 * minute, symbol });
      if (longRatio !== undefined) state.recordUpdate('ratio', { at, every: 15 * minute, symbol });
    }
  },
  fundingCurrent(state, { data, given: { at } }) {
    for (const { symbol, rate, timestamp } of data)
      addSettlement(state.market(symbol), [Date.parse(timestamp), Number(rate)]);
    state.recordUpdate('funding', { at, every: 5 * minute });
  },
  fundingHistory(state, { symbol, data, given: { at } }) {
    for (const { rate, timestamp } of data.slice(-30))
      addSettlement(state.market(symbol), [Date.parse(timestamp), Number(rate)]);
    state.recordUpdate('funding', { at, every: 5 * minute, symbol });
  },
  fundingIntervals(state, { data }) {
    for (const { symbol, hours } of data) state.market(symbol).fundingHours = hours;
  },
  fundingExtremes: addFundingZ,
  fundingStandings: addFundingZ,
  oiMomentum(state, { symbol, data, given: { at } }) {
    const now = data.at(-1);
    const before =
      now && data.findLast((row) => Date.parse(row.timestamp) <= Date.parse(now.timestamp) - hour);
    const isKnown = now !== undefined && before !== undefined && before.oi !== 0;
    state.market(symbol).interest1h = isKnown ? (now.oi / before.oi - 1) * 100 : undefined;
    state.recordUpdate('interest', { at, every: 5 * minute, symbol });
  },
  oiMovers(state, { data, given: { at } }) {
    for (const { symbol, change1hPct } of data) {
      state.market(symbol).interest1h = change1hPct;
      state.recordUpdate('interest', { at, every: 5 * minute, symbol });
    }
  },
  basis(state, { symbol, current, given: { at } }) {
    if (current === undefined) return;
    state.market(symbol).basis = current.basisPct;
    state.recordUpdate('basis', { at, every: 15 * minute, symbol });
  },
  lsRatioHistory(state, { symbol, type, data, given: { at } }) {
    const last = data.at(-1);
    if (type !== 'top_position' || last === undefined) return;
    state.market(symbol).longShare = last.longRatio;
    state.recordUpdate('ratio', { at, every: hour, symbol });
  },
  intelligence(state, { symbol, candles24h, fundingHistory }) {
    const market = state.market(symbol);
    addCloses(
      market,
      candles24h.map(({ open_time, c }) => [Date.parse(open_time) + hour, Number(c)] as const),
    );
    for (const { timestamp, rate } of fundingHistory)
      addSettlement(market, [Date.parse(timestamp), Number(rate)]);
  },
  venueLiquidations(state, { coverage, ...answer }) {
    addLiquidations(state, answer);
    state.tape.setCoverage(coverage);
  },
  liquidations: addLiquidations,
  regimeProbabilities(state, { symbol, current, probabilities, transition, timestamp, given: { at } }) {
    if (symbol !== undefined) return;
    const likelier = likelierOf(transition, current.state);
    const before = state.regime;
    const last = state.past.stretches.at(-1);
    const since =
      before === undefined
        ? last?.[2] === current.state
          ? last[0]
          : undefined
        : before.state === current.state
          ? before.since
          : Date.parse(timestamp);
    state.regime = {
      state: current.state,
      probabilities,
      at: Date.parse(timestamp),
      likelier,
      since,
    };
    state.recordUpdate('regime', { at, every: 5 * minute });
  },
  regimeMarkets(state, { data, breadth: shares, count }) {
    for (const row of data)
      state.market(row.symbol).regime = {
        state: row.state,
        likelier: likelierOf(row.transition, row.state),
      };
    state.breadth = { shares, count };
  },
  regimeHistory(state, { symbol, data, given: { query, at } }) {
    if (symbol !== undefined || query.days * day < regimePeriod) return;
    const hours = data.map(({ timestamp, hmm_state, confidence }) => ({
      at: Date.parse(timestamp),
      state: hmm_state,
      confidence,
    }));
    const stretches = stretchesOf(hours.filter((each) => each.at >= at - regimePeriod));
    state.past = { ...state.past, stretches };
    const last = stretches.at(-1);
    const { regime } = state;
    if (regime !== undefined && last?.[2] === regime.state) state.regime = { ...regime, since: last[0] };
  },
  candles(state, { symbol, interval, data, given: { at } }) {
    if (interval !== '1h') return;
    const closes = data.map(({ open_time, c }) => [Date.parse(open_time) + hour, Number(c)] as const);
    addCloses(state.market(symbol), closes);
    if (symbol !== 'BTCUSDT' || data.length <= closedHours) return;
    const price = closes.filter(([end]) => end >= at - regimePeriod);
    state.past = { ...state.past, price: thinOut(price, 240) };
  },
};

const likelierOf = (transition: { readonly to: string } | null, state: string): string | undefined =>
  transition?.to === state ? undefined : transition?.to;

/** Takes what the board shows from an answer. Returns false if the board shows nothing of the answer. */
export function readAnswer(state: BoardState, { endpoint, query, answer, at }: Fetched): boolean {
  const name = nameOf.get(endpoint.path);
  const reading = name && readings[name];
  if (reading === undefined) return false;
  // The board shows the primary venue only.
  if (Object(query).venue !== undefined) return false;
  // Each reading fits its endpoint's answer, but TypeScript cannot infer that from a table of all endpoints.
  (reading as (state: BoardState, answer: object) => void)(state, {
    ...(answer as object),
    given: { query, at },
  });
  return true;
}

const nameOf = new Map<string, EndpointName>(
  (Object.keys(contract) as EndpointName[]).map((name) => [contract[name].path, name]),
);
