import { uptime } from 'node:os';
import type { Logger } from 'pino';
import { type Clock, steadyClock, type WallClock } from './clock.ts';
import { minute, second } from './units.ts';

/** The headers of a response that tell the time of its server's clock. */
interface ServerTime {
  readonly date?: string | string[] | undefined;
  /** Present if the response comes from a cache: its `Date` is then an old time. */
  readonly age?: string | string[] | undefined;
}

/** Called when a request is sent. The function that it returns is called with the headers of the response. */
export type Asking = () => (headers: ServerTime) => void;

/** The machine's wall clock, compared with a steady clock and with the clocks of servers. */
export interface TrueTime {
  /**
   * The wall clock. A time that it reaches by a jump, ahead or back, is not believed until servers confirm it, or until it has
   * stood for a while. So a clock that is a day off for seconds changes nothing, neither what is due nor what is stored: what a
   * clock that is a day behind writes would have expired once it is right again.
   */
  readonly wall: WallClock;
  /** Returns the function to call at each request to this server. */
  asking(server: string): Asking;
  /** Ms by which the machine's clock is ahead of the servers', or of the steady clock; 0 if it is not known to be wrong. */
  wrong(): number;
}

/** A smaller error is none, ms: `Date` has whole seconds, responses take time to arrive, and clocks are corrected little by little. */
const tolerance = minute;
/** How long a clock that has jumped must stand to be believed without a server, ms. */
const proof = 10 * minute;
/** How many consecutive responses of one server must agree, and within how many ms. */
const agreeingResponses = 3;
const agreement = 10 * second;
/** A response that took longer is ignored, ms: its server may have written the time at any moment of the wait. */
const longestResponse = 5 * second;

interface TrueTimeOptions {
  readonly steady?: Clock;
  /** Ms that the machine has slept: the steady clock stands still meanwhile (clock_gettime(2)), and the wall clock goes on. */
  readonly slept?: () => number;
  readonly log: Pick<Logger, 'warn' | 'info'>;
}

const sleptSoFar = () => uptime() * second - steadyClock.now();

export function createTrueTime(
  machine: WallClock,
  { steady = steadyClock, slept = steady === steadyClock ? sleptSoFar : () => 0, log }: TrueTimeOptions,
): TrueTime {
  /** By server: its clock less the steady one, of the latest responses. */
  const servers = new Map<string, number[]>();
  const offset = () => machine.now() - steady.now();
  const isNear = (a: number, b: number) => Math.abs(a - b) <= tolerance;
  /** The machine's clock less the steady one, as it is believed. */
  let believed = offset();
  let sleptBefore = slept();
  let jumped: { readonly offset: number; readonly at: number } | undefined;
  let warnedOf = 0;

  /** Returns whether the machine's clock is not followed for now. */
  const isHeld = (): boolean => {
    const now = offset();
    if (isNear(now, believed)) {
      believed = now;
      noteJump(undefined);
      return false;
    }
    const sleptMore = slept() - sleptBefore;
    if (sleptMore > tolerance) {
      sleptBefore += sleptMore;
      believed += sleptMore;
      // What servers said is compared with the steady clock, which has stood still since.
      servers.clear();
      return isHeld();
    }
    const last =
      jumped !== undefined && isNear(jumped.offset, now) ? jumped : { offset: now, at: steady.now() };
    noteJump(last);
    const confirmed = agreedOffset([...servers.values()]);
    const isConfirmed = confirmed !== undefined && isNear(confirmed, now);
    if (isConfirmed || steady.now() - last.at >= proof) believed = now;
    return now !== believed;
  };

  const wrong = () => {
    const right = agreedOffset([...servers.values()]) ?? believed;
    const by = offset() - right;
    return Math.abs(by) > tolerance ? by : 0;
  };
  function report(): void {
    const ahead = Math.round(wrong() / second);
    if (
      ahead === warnedOf ||
      (ahead !== 0 && warnedOf !== 0 && Math.abs(ahead - warnedOf) < tolerance / second)
    )
      return;
    warnedOf = ahead;
    if (ahead === 0) log.info('the clock of this machine is right again');
    else
      log.warn(
        { ahead },
        'the clock of this machine is wrong by so many seconds, or was just set: synchronize it by NTP',
      );
  }

  function noteJump(jump: typeof jumped): void {
    const isSame = jump === jumped;
    jumped = jump;
    if (!isSame) report();
  }

  return {
    wall: {
      // Whole milliseconds: Postgres accepts only integers for its bigints.
      now: () => (isHeld() ? Math.floor(steady.now() + believed) : machine.now()),
      sleep: machine.sleep,
    },
    wrong,
    asking: (server) => () => {
      const asked = steady.now();
      return ({ date, age }) => {
        const at = age === undefined && typeof date === 'string' ? Date.parse(date) : Number.NaN;
        if (Number.isNaN(at) || steady.now() - asked > longestResponse) return;
        // `Date` is cut off to whole seconds, so half a second is missing on average.
        const offsets = [...(servers.get(server) ?? []), at + second / 2 - steady.now()];
        servers.set(server, offsets.slice(-agreeingResponses));
        report();
      };
    },
  };
}

/**
 * Returns the median offset of the servers whose latest responses agree, of an even number the lower one. Undefined: there is
 * none.
 */
function agreedOffset(servers: readonly (readonly number[])[]): number | undefined {
  const stable = servers.flatMap((offsets) => {
    const [least, middle, most] = offsets.toSorted((a, b) => a - b);
    if (least === undefined || middle === undefined || most === undefined) return [];
    return most - least > agreement ? [] : [middle];
  });
  return stable.toSorted((a, b) => a - b)[Math.floor((stable.length - 1) / 2)];
}
