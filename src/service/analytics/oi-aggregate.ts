import type { OpenInterest } from '../archive/archive.ts';
import { round } from './statistics.ts';

/** The open interest of one symbol at one venue: now, and at earlier moments, where it is known. */
export interface OiLeg {
  readonly venue: string;
  readonly now: OpenInterest;
  readonly hourAgo: OpenInterest | undefined;
  readonly dayAgo: OpenInterest | undefined;
}

/** A change computed only from the legs known at both times, so that a venue that appears or disappears is no change. */
interface OiChange {
  /** Change of the number of coins held, percent. A move of the price alone changes nothing. */
  readonly pct: number;
  /** Coins opened or closed, at each venue's present price, USD. */
  readonly usd: number;
  readonly venues: string[];
}

interface OiSum {
  readonly usd: number;
  /** The largest leg first, each with its share of the sum, 0 to 1. */
  readonly legs: readonly (OiLeg & { readonly share: number })[];
  readonly change1h: OiChange | undefined;
  readonly change24h: OiChange | undefined;
}

export function aggregateOpenInterest(legs: readonly OiLeg[]): OiSum {
  const usd = legs.reduce((sum, { now }) => sum + now.valueUsd, 0);
  return {
    usd,
    legs: legs
      .toSorted((a, b) => b.now.valueUsd - a.now.valueUsd || (a.venue < b.venue ? -1 : 1))
      .map((leg) => ({ ...leg, share: usd > 0 ? leg.now.valueUsd / usd : 0 })),
    change1h: changeOf(legs, ({ hourAgo }) => hourAgo),
    change24h: changeOf(legs, ({ dayAgo }) => dayAgo),
  };
}

function changeOf(
  legs: readonly OiLeg[],
  thenOf: (leg: OiLeg) => OpenInterest | undefined,
): OiChange | undefined {
  const both = legs.flatMap((leg) => {
    const then = thenOf(leg);
    return then === undefined ? [] : [{ ...leg, then }];
  });
  const before = both.reduce((sum, { then }) => sum + then.contracts, 0);
  if (!(before > 0)) return undefined;
  // Differences are taken leg by leg, so that legs without a change contribute exactly 0.
  const opened = both.reduce((sum, { now, then }) => sum + (now.contracts - then.contracts), 0);
  const usd = both.reduce((sum, { now, then }) => sum + (now.contracts - then.contracts) * priceOf(now), 0);
  return {
    pct: round((opened / before) * 100, 4),
    usd: round(usd, 2),
    venues: both.map(({ venue }) => venue),
  };
}

const priceOf = ({ contracts, valueUsd }: OpenInterest): number => (contracts > 0 ? valueUsd / contracts : 0);
