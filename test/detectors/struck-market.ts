import fc from 'fast-check';
import type { DataClient } from '#src/contract/data-client.ts';
import { contract, type EndpointName } from '#src/contract/index.ts';
import { rememberTime } from '#src/runtime/rows.ts';
import { day, hour, iso, minute } from '#src/runtime/units.ts';
import { answers as fixture, now as fixtureNow, universe } from '#test/support/data.ts';
import { anyAnswer } from './any-answer.ts';

/**
 * The answers of a service that publishes the fear and greed index itself instead of an estimate, and has the liquidations of
 * one venue.
 */
const answers: typeof fixture = {
  ...fixture,
  meta: { ...fixture.meta, fearGreed: 'published' },
  venueLiquidations: {
    data: fixture.liquidations.data.map((row) => ({ ...row, venue: 'binance' })),
    coverage: [],
  },
};
const endpoints = Object.keys(contract) as EndpointName[];
const symbols = [...universe, ...Array.from({ length: 13 }, (_, i) => `COIN${i}USDT`)];
/** Time between liquidations, at rest and while the market is struck. */
const liquidatedEvery = { rest: 20 * minute, struck: 2 * minute } as const;
/** Time between rows of endpoints whose fixture has too few rows to show it. */
const cadences: Partial<Record<EndpointName, number>> = {
  crossAssetHistory: day,
  oi: 5 * minute,
  liquidations: liquidatedEvery.rest,
  venueLiquidations: liquidatedEvery.rest,
};
const factors = [-20, -20, 0.3, 0.98, 0.98, 1, 1, 1.02, 6, 200] as const;
const anyFactor = () => fc.constantFrom(...factors);

/** Factors to the fixture's values that put the basis on neither side and make the spread one tick. */
const atRest: Readonly<Record<string, number>> = { basisPct: 5, spreadPct: 100 };

type Row = Readonly<Record<string, unknown>>;
/** Rows by their place in an answer and by time, so that each look sees nearly all rows of the look before. */
type Rows = Map<string, Map<number, Row>>;
/** Rows at rest, shared by all drawn markets. */
const restingRows: Rows = new Map();

function once(rows: Rows, id: string, time: number, make: () => Row): Row {
  const known = rows.get(id) ?? new Map<number, Row>();
  rows.set(id, known);
  const row = known.get(time) ?? make();
  known.set(time, row);
  return row;
}

/** Changes a value, given its endpoint and its path in the answer. */
type Strike = (name: EndpointName, value: unknown, path: readonly string[]) => unknown;

const isTime = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value);
const timeKey = (row: Row) => Object.keys(row).find((key) => isTime(row[key]));
const timeOf = (row: Row): number => Date.parse(String(row[timeKey(row) ?? '']));

/** Maps every leaf of an answer; `leaf` gets the value and its path. */
function mapLeaves(
  value: unknown,
  leaf: (value: unknown, path: readonly string[]) => unknown,
  path: readonly string[] = [],
): unknown {
  if (Array.isArray(value)) return value.map((each) => mapLeaves(each, leaf, path));
  if (typeof value !== 'object' || value === null) return leaf(value, path);
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, mapLeaves(each, leaf, [...path, key])]),
  );
}

const leafAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((found, key) => {
    const one = Array.isArray(found) ? found[0] : found;
    return typeof one === 'object' && one !== null ? (one as Row)[key] : undefined;
  }, value);

/** Draws a change: a factor for every number by its field's name, and other labels by the endpoint of the answer. */
function drawStrike(draw: fc.GeneratorValue): Strike {
  const byField = new Map<string, number>();
  const factor = (field: string): number => {
    const known = byField.get(field) ?? draw(anyFactor);
    byField.set(field, known);
    return known;
  };
  const scale = (value: number, field: string, within: boolean): number => {
    const scaled = value * factor(field);
    const bound = Math.abs(value) <= 1 ? 1 : 100;
    const kept = within ? Math.min(Math.abs(scaled), bound) : scaled;
    return Number.isInteger(value) ? Math.round(kept) : kept;
  };
  const drawn = new Map(endpoints.map((name) => [name, anyAnswer(draw, name)]));
  const struck = (name: EndpointName, value: unknown, path: readonly string[], within: boolean) =>
    mapLeaves(
      value,
      (leaf, path) => {
        const field = path.at(-1) ?? '';
        if (typeof leaf === 'number') return scale(leaf, field, within);
        if (typeof leaf !== 'string' || isTime(leaf) || field === 'symbol') return leaf;
        if (/^-?\d+(\.\d+)?$/.test(leaf)) return scale(Number(leaf), field, false).toFixed(8);
        const label = leafAt(drawn.get(name), path);
        return typeof label === 'string' && !label.startsWith('ago:') ? label : leaf;
      },
      path,
    );
  // Endpoints with a number that the contract bounds (a share, a score): their numbers stay within the bounds.
  const bounded = new Set(
    endpoints.filter(
      (name) => !contract[name].answer.safeParse(struck(name, answers[name], [], false)).success,
    ),
  );
  return (name, value, path) => struck(name, value, path, bounded.has(name));
}

/**
 * Creates a market at rest: the fixture's with a ripple. Between `from` and `to` its numbers are multiplied by drawn factors
 * and its labels are replaced by drawn ones. Past rows never change.
 */
export function struckMarket(
  draw: fc.GeneratorValue,
  { from, to }: { readonly from: number; readonly to: number },
): (now: number) => DataClient {
  const strike = drawStrike(draw);
  const struckRows: Rows = new Map();
  /** Answers by what they depend on: many markets' requests have the same answer, and all detectors look at the same times. */
  const answered = new Map<string, unknown>();
  const at = (name: EndpointName, value: unknown, time: number, path: readonly string[]): unknown => {
    const ripple = 1 + 0.0004 * Math.sin(time / hour);
    const rests = mapLeaves(
      value,
      (leaf, where) =>
        typeof leaf === 'number' && !Number.isInteger(leaf)
          ? leaf * ripple * (atRest[where.at(-1) ?? ''] ?? 1)
          : leaf,
      path,
    );
    return time >= from && time < to ? strike(name, rests, path) : rests;
  };

  const rowsOf = (
    name: EndpointName,
    rows: readonly Row[],
    query: Row,
    now: number,
    path: readonly string[],
  ): unknown[] => {
    const first = rows[0] ?? {};
    const key = timeKey(first);
    if (key === undefined) return rows.map((row) => at(name, row, now, path));
    const step = cadences[name] ?? Math.abs(timeOf(rows[1] ?? first) - timeOf(first));
    // No market's funding is extreme at rest.
    if (name === 'fundingExtremes' && (now < from || now >= to)) return [];
    // A list whose rows all have the same time has one row per market.
    if (step === 0) {
      const row = { ...(at(name, first, now, path) as Row), [key]: moved(first[key], now) };
      return symbols.map((symbol) => ({ ...row, symbol }));
    }
    const struck = /liquidations$/i.test(name) && now >= from && now < to + hour;
    const every = struck ? liquidatedEvery.struck : step;
    const span = Number(query.hours ?? 0) * hour + Number(query.days ?? 0) * day;
    const count =
      span > 0 ? Math.floor(span / every) : Math.max(rows.length, Math.min(Number(query.limit ?? 0), 200));
    const newest = Math.floor(now / every) * every;
    const id = [name, every, ...path].join(' ');
    const laid = Array.from({ length: count }, (_, i) => newest - (count - 1 - i) * every).map((time) =>
      once(time >= from && time < to ? struckRows : restingRows, id, time, () => {
        const row = { ...(at(name, first, time, path) as Row), [key]: iso(time) };
        const symbol = symbols[Math.floor(time / every) % symbols.length];
        const one = 'symbol' in first ? { ...row, symbol } : row;
        // As the archive's rows do.
        return key === 'timestamp' ? rememberTime(one, time) : one;
      }),
    );
    return rows.length > 1 && timeOf(first) > timeOf(rows[1] ?? first) ? laid.reverse() : laid;
  };
  const moved = (time: unknown, now: number) => iso(Date.parse(String(time)) + now - fixtureNow);

  const answer = (name: EndpointName, query: Row, now: number): unknown => {
    const fill = (value: unknown, path: readonly string[]): unknown => {
      if (Array.isArray(value) && value.length === 0) return value;
      if (Array.isArray(value) && typeof value[0] === 'object')
        return rowsOf(name, value as Row[], query, now, path);
      if (typeof value !== 'object' || value === null)
        return isTime(value) ? moved(value, now) : at(name, value, now, path);
      return Object.fromEntries(
        Object.entries(value).map(([field, each]) => [field, fill(each, [...path, field])]),
      );
    };
    const filled = fill(answers[name], []) as { current?: unknown; data?: Row[] };
    return filled.current === undefined
      ? filled
      : { ...filled, current: filled.data?.at(-1) ?? filled.current };
  };

  const answerOnce = (name: EndpointName, query: Row, now: number): unknown => {
    const id = [name, query.hours, query.days, query.limit, now].join(' ');
    if (!answered.has(id)) answered.set(id, answer(name, query, now));
    return answered.get(id);
  };

  return (now) =>
    Object.fromEntries(
      endpoints.map((name) => [
        name,
        async (query: unknown) => answerOnce(name, contract[name].query.parse(query ?? {}) as Row, now),
      ]),
    ) as unknown as DataClient;
}
