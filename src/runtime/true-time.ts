import type { Logger } from 'pino';
import type { Clock, WallClock } from './clock.ts';
import { minute, second } from './units.ts';

/** The headers of a response that tell the time of its server's clock. */
export interface ServerTime {
  readonly date?: string | string[] | undefined;
  /** Present if the response comes from a cache: its `Date` is then an old time. */
  readonly age?: string | string[] | undefined;
}

/** Called when a request is sent. The function that it returns is called with the headers of the response. */
export type Asking = () => (headers: ServerTime) => void;

/** The machine's wall clock, compared with the clocks of servers. */
export interface TrueTime {
  /** The wall clock, corrected where the machine's clock is wrong. */
  readonly wall: WallClock;
  /**
   * Returns the function to call at each request to this server.
   * @param trusted whether this server's time is preferred to that of servers that are not trusted: many thousands of
   * clients rely on its clock
   */
  asking(server: string, trusted: boolean): Asking;
  /** Ms by which the machine's clock is ahead of the servers'; 0 if it is right, or no server has told its time. */
  wrong(): number;
}

/** A smaller error is not corrected, ms: `Date` has whole seconds, and responses take time to arrive. */
const tolerance = minute;
/** An existing correction is changed only if it differs by at least this much, ms. */
const minChange = 5 * second;
/** How many consecutive responses of one server must agree, and within how many ms. */
const agreeingResponses = 3;
const agreement = 10 * second;
/** A response that took longer is ignored, ms: its server may have written the time at any moment of the wait. */
const longestResponse = 5 * second;

interface ServerOffsets {
  readonly trusted: boolean;
  readonly offsets: number[];
}

export function createTrueTime(
  machine: WallClock,
  { steady, log }: { readonly steady: Clock; readonly log: Pick<Logger, 'warn' | 'info'> },
): TrueTime {
  const servers = new Map<string, ServerOffsets>();
  let offset = 0;

  const correct = () => {
    const agreedOffset = findOffset([...servers.values()]);
    if (agreedOffset === undefined) return;
    const next = Math.abs(agreedOffset) > tolerance ? agreedOffset : 0;
    if (next === offset || (next !== 0 && Math.abs(next - offset) < minChange)) return;
    offset = next;
    const seconds = Math.round(-offset / second);
    if (offset === 0) log.info('the clock of this machine is right again');
    else
      log.warn({ ahead: seconds }, 'the clock of this machine is wrong by so many seconds; it is corrected');
  };

  return {
    wall: { now: () => machine.now() + offset, sleep: machine.sleep },
    wrong: () => (offset === 0 ? 0 : -offset),
    asking: (server, trusted) => () => {
      const asked = steady.now();
      return ({ date, age }) => {
        const at = age === undefined && typeof date === 'string' ? Date.parse(date) : Number.NaN;
        if (Number.isNaN(at) || steady.now() - asked > longestResponse) return;
        const known = servers.get(server) ?? { trusted, offsets: [] };
        servers.set(server, known);
        // `Date` is cut off to whole seconds, so half a second is missing on average.
        known.offsets.push(at + second / 2 - machine.now());
        if (known.offsets.length > agreeingResponses) known.offsets.shift();
        correct();
      };
    },
  };
}

/**
 * Returns the median offset of the trusted servers, or of all servers if no trusted one has a stable offset. Of the two
 * middle offsets of an even number it takes the smaller correction. Returns undefined if no server has a stable offset.
 */
function findOffset(servers: readonly ServerOffsets[]): number | undefined {
  const stable = servers.flatMap(({ trusted, offsets }) => {
    const [least, middle, most] = offsets.toSorted((a, b) => a - b);
    if (least === undefined || middle === undefined || most === undefined) return [];
    return most - least > agreement ? [] : [{ trusted, offset: middle }];
  });
  const trusted = stable.filter((each) => each.trusted);
  const ascending = (trusted.length > 0 ? trusted : stable)
    .map(({ offset }) => offset)
    .toSorted((a, b) => a - b);
  const [low, high] = [
    ascending[Math.floor((ascending.length - 1) / 2)],
    ascending[Math.floor(ascending.length / 2)],
  ];
  if (low === undefined || high === undefined) return undefined;
  return Math.abs(low) < Math.abs(high) ? low : high;
}
