import { uptime } from 'node:os';
import type { Logger } from 'pino';
import { type Clock, steadyClock, type WallClock } from './clock.ts';
import { minute, second } from './units.ts';

/** The machine's wall clock, compared with a steady clock. */
interface TrueTime {
  /**
   * The wall clock. A time that it reaches by a jump, ahead or back, is not believed until it has stood for a
   * while. So a clock that is a day off for seconds changes nothing, neither what is due nor what is stored: what a
   * clock that is a day behind writes would have expired once it is right again.
   */
  readonly wall: WallClock;
  /** Ms by which the machine's clock is ahead of what is believed; 0 if it is followed. */
  wrong(): number;
}

/** A smaller jump is none, ms: clocks are corrected little by little. */
export const clockTolerance = minute;
/** How long a clock that has jumped must stand to be believed, ms. */
const proof = 10 * minute;

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
  const offset = () => machine.now() - steady.now();
  const isNear = (a: number, b: number) => Math.abs(a - b) <= clockTolerance;
  /** The machine's clock less the steady one, as it is believed. */
  let believed = offset();
  let sleptBefore = slept();
  let jumped: { readonly offset: number; readonly at: number } | undefined;

  /** Returns whether the machine's clock is not followed for now. */
  const isHeld = (): boolean => {
    const now = offset();
    if (isNear(now, believed)) {
      believed = now;
      noteJump(undefined);
      return false;
    }
    const sleptMore = slept() - sleptBefore;
    if (sleptMore > clockTolerance) {
      sleptBefore += sleptMore;
      believed += sleptMore;
      return isHeld();
    }
    const last =
      jumped !== undefined && isNear(jumped.offset, now) ? jumped : { offset: now, at: steady.now() };
    noteJump(last);
    if (steady.now() - last.at >= proof) believed = now;
    return now !== believed;
  };

  const wrong = () => {
    const by = offset() - believed;
    return Math.abs(by) > clockTolerance ? by : 0;
  };

  function noteJump(jump: typeof jumped): void {
    if (jump === jumped) return;
    jumped = jump;
    if (jump === undefined) log.info('the clock of this machine is right again');
    else
      log.warn(
        { ahead: Math.round(wrong() / second) },
        'the clock of this machine is wrong by so many seconds, or was just set: synchronize it by NTP',
      );
  }

  return {
    wall: {
      // Whole milliseconds: Postgres accepts only integers for its bigints.
      now: () => (isHeld() ? Math.floor(steady.now() + believed) : machine.now()),
      sleep: machine.sleep,
    },
    wrong,
  };
}
