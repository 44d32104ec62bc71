import { type Claim, horizons, type Outcome } from '#src/alert/outcome.ts';
import { seeded } from '#src/record/bootstrap.ts';
import { type Usual, usualMoves } from '#src/record/usual.ts';
import { hour } from '#src/runtime/units.ts';

const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

const symbols = ['A', 'B', 'C', 'D', 'E', 'F'];
export const begin = Date.UTC(2026, 0, 1);

interface Made {
  readonly outcomes: readonly Outcome[];
  readonly usual: (symbol: string, horizon: number) => Usual | undefined;
}

/**
 * Six symbols that walk at random, half of it together, with unlike volatilities and a drift. Alerts come in bursts
 * of `burst` symbols at once, on most days. `edge`: in the 4 hours after an alert its symbol moves by so many of
 * its hourly standard deviations in the way of the claim (or, for "move", any way).
 */
export function madeMarket(
  seed: number,
  given: { days?: number; perDay?: number; burst?: number; edge?: number; drift?: number; claim?: Claim },
): Made {
  const { days = 40, perDay = 2, burst = 2, edge = 0, drift = 0, claim = 'up' } = given;
  const random = seeded(seed);
  const count = (days + 2) * 24;
  const together = Array.from({ length: count }, () => normal(random));
  const steps = symbols.map((_, s) => {
    const volatility = 0.003 * (1 + s / 3);
    return together.map((common) => volatility * (drift + 0.7 * common + 0.7 * normal(random)));
  });
  const fired = Array.from({ length: days * 24 }, (_, at) =>
    random() < perDay / burst / 24
      ? Array.from({ length: burst }, () => ({ at, s: Math.floor(random() * symbols.length) }))
      : [],
  ).flat();
  for (const { at, s } of fired) {
    const own = steps[s] ?? [];
    const sign = claim === 'down' || (claim === 'move' && random() < 0.5) ? -1 : 1;
    for (let h = at + 1; h <= at + 4; h += 1)
      own[h] = (own[h] ?? 0) + (sign * edge * 0.003 * (1 + s / 3)) / 4;
  }
  const prices = steps.map((own) => {
    let log = 0;
    return own.map((step, at) => {
      log += step;
      return { at: begin + at * hour, price: 100 * Math.exp(log) };
    });
  });
  const known = new Map<string, Usual | undefined>();
  const usual: Made['usual'] = (symbol, horizon) => {
    const key = `${symbol}/${horizon}`;
    const own = known.get(key) ?? usualMoves(prices[symbols.indexOf(symbol)] ?? [], horizon);
    known.set(key, own);
    return own;
  };
  const priceAt = (s: number, at: number) => prices[s]?.[at]?.price ?? null;
  return {
    usual,
    outcomes: fired.map(({ at, s }) => ({
      kind: 'made',
      symbol: symbols[s] ?? '',
      claim,
      firedAt: begin + at * hour,
      price: priceAt(s, at),
      after: horizons.map((horizon) => priceAt(s, at + horizon / hour)),
      estimated: false,
    })),
  };
}
