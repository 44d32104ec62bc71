import { maxAhead } from '../runtime/clock.ts';
import { clockTolerance } from '../runtime/true-time.ts';
import { hour, iso, minute, second } from '../runtime/units.ts';

/** What is believed of a data service's market, and when the service said so, wall ms. */
export interface Believed {
  readonly market: string;
  /** The market is live: its time is the machine's own. */
  readonly live: boolean;
  /** Identifies the run of a market that is not live; absent: the service names none. */
  readonly run?: string | undefined;
  /** Market ms. */
  readonly time: number;
  /** Market seconds per wall second; absent: unknown, because an earlier version has not stored it. */
  readonly speed?: number | undefined;
  readonly wall: number;
}

/** What a data service says of its market. */
export interface MarketClaim extends Believed {
  readonly speed: number;
}

/**
 * How long a service must say the same, wall ms, before it is believed to have another market, another run or speed of it, or
 * a time that its clock does not explain.
 */
const proof = 10 * minute;

/**
 * How far a market's time may lie behind what was believed. It never goes back within a run, but for the network's delay at
 * the market's speed.
 */
const maxBehind = (speed: number): number => Math.max(hour, 10 * second * speed);

/** Returns whether the clock of the market that was believed explains what is said now. */
function explains(before: Believed, { market, live, run, time, speed, wall }: MarketClaim): boolean {
  if (market !== before.market) return false;
  if (live) return true;
  if (run !== undefined && before.run !== undefined && run !== before.run) return false;
  // Any time would be explained by a speed that nothing explains.
  if (before.speed !== undefined && speed !== before.speed) return false;
  // A claim from a clock that was set back since: how much has passed is unknown, but for the error that went unnoticed.
  const elapsed = wall < before.wall ? clockTolerance : wall - before.wall;
  return time >= before.time - maxBehind(speed) && time <= before.time + elapsed * speed + maxAhead(speed);
}

/**
 * Judges what a data service says of its market. A market, a run, a speed or a time that nothing explains is not believed until the
 * service has said so for a while; a live market is never given up for another one on a service's word.
 * @param believed what was believed at the end of the last start; undefined: nothing, so that the first claim is believed
 * @param isOwn the service is a part of this process, and is believed whatever it says
 */
export function createBelief(believed: Believed | undefined, isOwn: boolean) {
  let unproven: { readonly since: number; readonly latest: MarketClaim } | undefined;
  return {
    last: () => believed,
    /** Returns why the claim is not believed; undefined: it is, from now on. */
    judge(claim: MarketClaim): string | undefined {
      if (!isOwn && believed !== undefined && !explains(believed, claim)) {
        const goesOn = unproven !== undefined && explains(unproven.latest, claim);
        unproven = { since: goesOn ? (unproven?.since ?? claim.wall) : claim.wall, latest: claim };
        if (believed.live || claim.wall - unproven.since < proof) return doubtOf(believed, claim);
      }
      unproven = undefined;
      believed = {
        ...claim,
        run: claim.run ?? (claim.market === believed?.market ? believed.run : undefined),
      };
      return undefined;
    },
  };
}

function doubtOf(believed: Believed, claim: MarketClaim): string {
  if (claim.market !== believed.market)
    return `the service says that its market is the ${claim.market} one, and this bot's is the ${believed.market} one: check TOCSIN_API_URL`;
  if (claim.run !== believed.run) return 'the service says that its market is another run of it';
  if (believed.speed !== undefined && claim.speed !== believed.speed)
    return `the service says that its market runs ${claim.speed} ×, and it was ${believed.speed} ×`;
  return `the service's market time, ${iso(claim.time)}, is not explained by its clock`;
}
