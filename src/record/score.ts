import { type Claim, horizons, type Outcome } from '../alert/outcome.ts';
import { median } from '../alert/statistics.ts';
import { day } from '../runtime/units.ts';
import { type Interval, meanInterval, medianInterval } from './bootstrap.ts';
import type { Usual } from './usual.ts';

/** Below either nothing is concluded: alerts, and days they fell on, which are what the interval is drawn from. */
export const enough = { alerts: 20, days: 10 } as const;

/**
 * How the price moved after alerts, over one horizon, beside how the same symbols move anyway.
 *
 * `way`: the alerts say which way the price goes. A move counts in that direction, and a hit is a move that went
 * there at all. `size`: they say only that it moves. A move counts without its sign, and a hit is one larger than
 * half of all moves of its symbol over that time.
 */
export interface Score {
  readonly sense: 'way' | 'size';
  /** Alerts whose price is known at both ends and whose symbol's usual moves are. */
  readonly n: number;
  /** UTC days they fell on. */
  readonly days: number;
  /** Of n, those with a price read between two hourly ones. */
  readonly estimated: number;
  /** Absent where there is not enough. */
  readonly found?: Found;
}

/** Moves are fractions of the price, shares are from 0 to 1; `usual` is what the same symbols do anyway. */
export interface Found {
  readonly move: { readonly median: number; readonly usual: number; readonly edge: Interval };
  readonly hits: { readonly share: number; readonly usual: number; readonly edge: Interval };
}

interface Judged {
  readonly block: number;
  readonly move: number;
  readonly usual: number;
  readonly hit: number;
  readonly expected: number;
  readonly estimated: boolean;
}

/**
 * Each alert is judged against its own symbol's moves over the same horizon: whatever falls or swings by itself
 * earns nothing. The intervals are of the difference, by a bootstrap of whole days, because moves of one day
 * overlap and markets move together. Where the prices behind `usual` cover the days of the alerts, those of a random
 * walk hold zero in 94 to 97 of 100 cases (500 markets, 1 h to 24 h).
 *
 * @param usual moves of a symbol over the horizon; undefined where too little of it is known
 * @param random 0 ≤ x < 1, seeded by the caller
 */
export function score(
  outcomes: readonly Outcome[],
  horizon: number,
  usual: (symbol: string, horizon: number) => Usual | undefined,
  random: () => number,
): Score {
  const sense = outcomes.some(({ claim }) => claim !== 'move') ? 'way' : 'size';
  const judged = outcomes
    .filter(({ claim }) => (claim === 'move') === (sense === 'size'))
    .flatMap((outcome) => {
      const move = moveAfter(outcome, horizon);
      const own = usual(outcome.symbol, horizon);
      return move === undefined || own === undefined ? [] : [judge(outcome, move, own)];
    });
  const n = judged.length;
  const days = new Set(judged.map(({ block }) => block)).size;
  const estimated = judged.filter((one) => one.estimated).length;
  if (n < enough.alerts || days < enough.days) return { sense, n, days, estimated };

  const mean = (of: (one: Judged) => number) => judged.reduce((sum, one) => sum + of(one), 0) / n;
  const blocked = (of: (one: Judged) => number) =>
    judged.map((one) => ({ block: one.block, value: of(one) }));
  return {
    sense,
    n,
    days,
    estimated,
    found: {
      move: {
        median: median(judged.map(({ move }) => move)),
        usual: median(judged.map((one) => one.usual)),
        edge: medianInterval(
          blocked(({ move, usual: own }) => move - own),
          random,
        ),
      },
      hits: {
        share: mean(({ hit }) => hit),
        usual: mean(({ expected }) => expected),
        edge: meanInterval(
          blocked(({ hit, expected }) => hit - expected),
          random,
        ),
      },
    },
  };
}

/** Change of price from the alert to a horizon, a fraction; undefined where it is not known. */
function moveAfter({ price, after }: Outcome, horizon: number): number | undefined {
  const later = after[horizons.indexOf(horizon)] ?? null;
  return price === null || later === null ? undefined : later / price - 1;
}

function judge({ claim, firedAt, estimated }: Outcome, move: number, own: Usual): Judged {
  const block = Math.floor(firedAt / day);
  if (claim === 'move') {
    const size = Math.abs(move);
    const hit = size > own.size ? 1 : 0;
    return { block, estimated, move: size, usual: own.size, hit, expected: 0.5 };
  }
  const sign: Readonly<Record<Exclude<Claim, 'move'>, number>> = { up: 1, down: -1 };
  const moved = sign[claim] * move;
  return {
    block,
    estimated,
    move: moved,
    usual: sign[claim] * own.median,
    hit: moved > 0 ? 1 : 0,
    expected: claim === 'up' ? own.up : own.down,
  };
}
