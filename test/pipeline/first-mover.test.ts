import { describe, expect, test } from 'vitest';
import type { FirstMover } from '#src/alert/alert.ts';
import { firstMover, type Movements, type Track } from '#src/pipeline/first-mover.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import { everyStep } from '#src/service/simulation/every-step.ts';
import { calmMarket as market } from '#test/support/calm-market.ts';

const step = 5 * minute;
const start = Date.parse('2025-11-13T16:00:00.000Z');
const symbols = market.instruments.slice(0, 12).map(({ symbol }) => symbol);
/** Twelve markets at eight times, all at other hours of the day. */
const cases = Array.from({ length: 8 }, (_, at) => start + at * 31 * hour).flatMap((now) => {
  const span = { from: now - 27 * hour, to: now };
  const liquidated = market.liquidations(span.from, span.to);
  return symbols.map((symbol) => ({
    now,
    symbol,
    span,
    events: liquidated.filter((one) => one.symbol === symbol),
  }));
});

function movesOf({ symbol, span, events }: (typeof cases)[number]): Movements {
  const times = everyStep(span, step);
  const valuesOf = (value: (at: number) => number): Track => times.map((at) => [at, value(at)]);
  const price = valuesOf((at) => market.mark(symbol, at).markPrice);
  return {
    price,
    interest: valuesOf((at) => market.openInterest(symbol, at).contracts),
    basis: valuesOf((at) => {
      const { markPrice, indexPrice } = market.mark(symbol, at);
      return (markPrice / indexPrice - 1) * 100;
    }),
    liquidations: events.map(({ time, price: paid, quantity }) => [time, paid * quantity]),
    liquidationsFrom: 0,
    venues: new Map([['Bybit', price.map(([at, value]) => [at, value * (1 + 1e-5 * Math.sin(at))])]]),
  };
}

const sizeOfLargest = (values: Track): number =>
  Math.max(...values.slice(1).map(([, value], index) => Math.abs(value - (values[index]?.[1] ?? value))));
const shiftFrom = (values: Track, from: number, by: (value: number) => number): Track =>
  values.map(([at, value]) => [at, at >= from ? by(value) : value]);

type Cause = FirstMover['what'] | 'nothing';
const lead = 2 * step;

/** Plants a jump of the price an hour before the alert, and a cause ten minutes before the jump, both of usual events' size. */
function plant(moves: Movements, { cause, now }: { readonly cause: Cause; readonly now: number }): Movements {
  const jumpAt = Math.floor((now - hour) / step) * step;
  const causeAt = jumpAt - lead;
  const grown = (of: Track): number => Math.exp(2.5 * largestRelative(of));
  const jump = grown(moves.price);
  const jumped = { ...moves, price: shiftFrom(moves.price, jumpAt, (value) => value * jump) };
  const bybit = moves.venues.get('Bybit') ?? [];
  const venueFrom = (at: number) => new Map([['Bybit', shiftFrom(bybit, at, (value) => value * jump)]]);
  const { interest, basis, liquidations } = moves;
  const usual = Math.max(
    ...everyStep({ from: now - day, to: now }, step).map((at) => sumIn(liquidations, at)),
    1_000,
  );
  return {
    ...jumped,
    venues: venueFrom(cause === 'venue' ? causeAt : jumpAt),
    ...(cause === 'interest' && {
      interest: shiftFrom(interest, causeAt, (value) => value / grown(interest)),
    }),
    ...(cause === 'basis' && {
      basis: shiftFrom(basis, causeAt, (value) => value - 2.5 * sizeOfLargest(basis)),
    }),
    ...(cause === 'liquidations' && {
      liquidations: [...liquidations, [causeAt + minute, 2.5 * usual] as const],
    }),
  };
}

const largestRelative = (values: Track): number =>
  sizeOfLargest(values.map(([at, value]) => [at, Math.log(value)]));
const sumIn = (events: Track, from: number): number =>
  events.reduce((sum, [at, usd]) => (at >= from && at < from + step ? sum + usd : sum), 0);

describe('what moved first, with causes planted in the simulated market', () => {
  test.each<[Cause, number]>([
    ['liquidations', 0.85],
    ['interest', 0.85],
    ['basis', 0.85],
    ['venue', 0.85],
    ['nothing', 0.85],
  ])('%s: found in at least that share of markets and moments, and nothing else is named', (cause, share) => {
    const found = cases.map((each) => firstMover(plant(movesOf(each), { cause, now: each.now }), each.now));
    const told = found.filter((first) => first !== undefined);
    const hits = told.filter((first) =>
      cause === 'nothing' ? first === null : first?.what === cause && first.lead === lead,
    );
    expect(told.length / cases.length).toBeGreaterThan(0.9);
    expect(hits.length / told.length).toBeGreaterThanOrEqual(share);
  });

  test('a price that has not moved unusually has nothing before it, and too short a past tells nothing', () => {
    const each = cases[0] as (typeof cases)[number];
    const moves = movesOf(each);
    const calm = { ...moves, price: moves.price.map(([at]) => [at, 100] as const) };
    expect(firstMover(calm, each.now)).toBeUndefined();
    expect(firstMover({ ...moves, price: moves.price.slice(-30) }, each.now)).toBeUndefined();
  });

  test('of liquidations whose answer was cut, nothing is said', () => {
    const each = cases[0] as (typeof cases)[number];
    const planted = plant(movesOf(each), { cause: 'liquidations', now: each.now });
    expect(firstMover({ ...planted, liquidationsFrom: each.now - 3 * hour }, each.now)?.what).not.toBe(
      'liquidations',
    );
  });
});
