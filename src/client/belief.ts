import { maxAhead } from '../runtime/clock.ts';
import { clockTolerance } from '../runtime/true-time.ts';
import { iso, minute } from '../runtime/units.ts';

/** What is believed of a data service's market, and when the service said so, wall ms. */
export interface Believed {
  readonly market: string;
  /** The market is live: its time is the machine's own. */
  readonly live: boolean;
  /** Identifies the run of a market that is not live; absent: the service names none. */
  readonly run?: string | undefined;
  /** Market ms. */
  readonly time: number;
  /** The most market seconds per wall second that were believed; absent: unknown, as of a service that was never ready. */
  readonly speed?: number | undefined;
  readonly wall: number;
}

interface Said extends Believed {
  readonly speed: number;
}

/** What a data service says of its market. */
export interface MarketStatement extends Said {
  /** Whether the service is ready: while it loads its past, its market runs more slowly. */
  readonly ready: boolean;
}

/**
 * How long a service must say the same, wall ms, before it is believed to have another market, another run or a higher speed of it, or
 * a time that its clock does not explain.
 */
const proof = 10 * minute;

/**
 * How far a market's time may lie behind what was believed. It never goes back within a run, but each of two statements may be wrong
 * by its delay.
 */
const maxBehind = (speed: number): number => 2 * maxAhead(speed);

/** Returns whether the clock of the market that was believed explains what is said now. */
function explains(before: Believed, { market, live, run, time, speed, wall }: Said): boolean {
  if (market !== before.market) return false;
  if (live) return true;
  if (run !== undefined && before.run !== undefined && run !== before.run) return false;
  // Any time would be explained by a speed that nothing explains.
  if (speed > (before.speed ?? Number.POSITIVE_INFINITY)) return false;
  // A statement from a clock that was set back since: how much has passed is unknown, but for the error that went unnoticed.
  const elapsed = wall < before.wall ? clockTolerance : wall - before.wall;
  const passed = elapsed * Math.max(speed, before.speed ?? 0);
  return time >= before.time - maxBehind(speed) && time <= before.time + passed + maxAhead(speed);
}

/**
 * Judges what a data service says of its market. A market, a run, a higher speed or a time that nothing explains is not believed
 * until the service has said so for a while; a live market is never given up for another one on a service's word.
 * @param believed what was believed at the end of the last start; undefined: nothing, so that the first statement is believed
 * @param isOwn the service is a part of this process, and is believed whatever it says
 */
export function createBelief(believed: Believed | undefined, isOwn: boolean) {
  let unproven: { readonly since: number; readonly latest: Said } | undefined;
  return {
    last: () => believed,
    /** Returns why the statement is not believed; undefined: it is, from now on. */
    judge({ ready, ...statement }: MarketStatement): string | undefined {
      if (!isOwn && believed !== undefined && !explains(believed, statement)) {
        const goesOn = unproven !== undefined && explains(unproven.latest, statement);
        unproven = {
          since: goesOn ? (unproven?.since ?? statement.wall) : statement.wall,
          latest: statement,
        };
        if (believed.live || statement.wall - unproven.since < proof) return doubtOf(believed, statement);
      }
      unproven = undefined;
      const before = statement.market === believed?.market ? believed : undefined;
      const isFaster = ready && statement.speed > (before?.speed ?? 0);
      believed = {
        ...statement,
        run: statement.run ?? before?.run,
        speed: isFaster ? statement.speed : before?.speed,
      };
      return undefined;
    },
  };
}

function doubtOf(believed: Believed, statement: Said): string {
  if (statement.market !== believed.market)
    return `the service says that its market is the ${statement.market} one, and this bot's is the ${believed.market} one: check TOCSIN_API_URL`;
  if (statement.run !== believed.run) return 'the service says that its market is another run of it';
  if (statement.speed > (believed.speed ?? Number.POSITIVE_INFINITY))
    return `the service says that its market runs ${statement.speed} ×, and it was ${believed.speed} ×`;
  return `the service's market time, ${iso(statement.time)}, is not explained by its clock`;
}
