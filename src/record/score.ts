import { horizons, type Outcome } from '../alert/outcome.ts';
import { median } from '../runtime/statistics.ts';
import { day } from '../runtime/units.ts';
import { type Estimate, type Excess, meanExcess, varianceOf } from './excess.ts';
import type { Usual, UsualMoves } from './usual.ts';

/**
 * The least number of alerts, and of days on which they fell, from which anything is concluded; the error is computed
 * from the days. `others`: the least share of hours that are not the alerts' own.
 */
export const enough = { alerts: 20, days: 10, others: 0.2 } as const;

/**
 * How the price moved after alerts over one horizon, compared with how the same symbols move after hours as volatile.
 * `way`: the alerts predict the direction of the price. A move counts in that direction, and a hit is any move in that
 * direction. `size`: the alerts only predict that the price moves. A move counts without its sign, and a hit is a move
 * larger than half of its symbol's moves after hours as volatile.
 */
export interface Score {
  readonly sense: 'way' | 'size';
  /** Number of alerts whose price is known at both ends and whose symbol's usual moves are known. */
  readonly n: number;
  /** Number of UTC days on which the alerts fell. */
  readonly days: number;
  /** How many of the n alerts have a price interpolated between two hourly prices. */
  readonly estimated: number;
  /** Absent if there are not enough alerts or days. */
  readonly found?: ScoredMoves;
}

/** Moves are fractions of the price; shares are from 0 to 1; `usual` is what the same symbols usually do. */
export interface ScoredMoves {
  readonly move: { readonly median: number; readonly usual: number };
  readonly hits: { readonly share: number; readonly usual: number };
  /** Of the shares: hits minus the usual share. */
  readonly excess: Estimate;
}

/** An alert that was judged over one horizon. */
export interface JudgedOutcome extends Excess {
  readonly kind: string;
  readonly sense: Score['sense'];
  readonly firedAt: number;
  readonly own: number;
  /** `move` and `usual` are logarithms. */
  readonly move: number;
  readonly usual: number;
  readonly hit: number;
  readonly estimated: boolean;
}

/**
 * Judges each alert of a symbol against the symbol's own moves over the same horizon after hours as volatile. So an alert
 * earns nothing for a price that falls or swings by itself, nor for firing while the market swings.
 * @param usual undefined if too little of the symbol is known
 */
export function judge(
  outcomes: readonly Outcome[],
  horizon: number,
  usual: UsualMoves | undefined,
): JudgedOutcome[] {
  if (usual === undefined) return [];
  return [...Map.groupBy(outcomes, ({ kind }) => kind).values()].flatMap((ofKind) => {
    const like = usual.beside(ofKind.map(({ firedAt }) => firedAt));
    return ofKind.flatMap((outcome) => {
      const { firedAt, price } = outcome;
      const later = outcome.after[horizons.indexOf(horizon)] ?? null;
      if (price === null || later === null) return [];
      const own = like(firedAt, price);
      return own === undefined ? [] : [judgeOne(outcome, { move: Math.log(later / price), own })];
    });
  });
}

/**
 * Scores the judged alerts of a kind over one horizon. Moves of one day depend on each other, and so do the moves of the days
 * that a horizon covers.
 */
export function score(all: readonly JudgedOutcome[], horizon: number): Score {
  const sense = all.some((one) => one.sense === 'way') ? 'way' : 'size';
  const judged = all.filter((one) => one.sense === sense);
  const n = judged.length;
  const days = new Set(judged.map(({ block }) => block)).size;
  const estimated = judged.filter((one) => one.estimated).length;
  const mean = (of: (one: JudgedOutcome) => number) => judged.reduce((sum, one) => sum + of(one), 0) / n;
  const others = 1 - mean(({ own }) => own);
  if (n < enough.alerts || days < enough.days || !(others >= enough.others))
    return { sense, n, days, estimated };

  const share = mean(({ hit }) => hit);
  const seen = meanExcess(judged, horizon < day ? 1 : 3);
  // An hour whose move lies in share f within the moves after alerts shows f of what the alerts show, so that the share of all
  // hours lies `others` of the way from the alerts' share to that of all hours but theirs: the difference is larger by that,
  // and so is its error. To leave the alerts' hours out instead would choose by what comes next: hours before an alert on a
  // large move are hours before a large move.
  const difference = seen.mean / others;
  const excess = { ...seen, mean: difference, error: seen.error / others, usual: share - difference };
  return {
    sense,
    n,
    days,
    estimated,
    found: {
      move: {
        median: Math.expm1(median(judged.map(({ move }) => move))),
        usual: Math.expm1(median(judged.map((one) => one.usual))),
      },
      hits: { share, usual: excess.usual },
      excess,
    },
  };
}

function judgeOne(
  { kind, prediction, firedAt, estimated }: Outcome,
  { move, own: usually }: { readonly move: number; readonly own: Usual },
): JudgedOutcome {
  const { own, size, median, up, down } = usually;
  const sign = prediction === 'down' ? -1 : 1;
  const judged =
    prediction === 'move'
      ? { sense: 'size' as const, move: Math.abs(move), usual: size }
      : { sense: 'way' as const, move: sign * move, usual: sign * median };
  const hit = Number(judged.move > (prediction === 'move' ? size : 0));
  const expected = { move: 0.5, up, down }[prediction];
  const excess = { block: Math.floor(firedAt / day), value: hit - expected, variance: varianceOf(expected) };
  return { kind, firedAt, own, estimated, hit, ...judged, ...excess };
}
