import type { Logger } from 'pino';
import type { Clock, WallClock } from './clock.ts';
import { minute, second } from './units.ts';

/** What an answer's headers say of its server's clock. */
export interface ServerTime {
  readonly date?: string | string[] | undefined;
  /** A cache's answer: its `Date` is of then. */
  readonly age?: string | string[] | undefined;
}

/** Called when a question is asked; what it gives is told of the answer. */
export type Asking = () => (headers: ServerTime) => void;

/** The machine's wall clock, held against those of servers. */
export interface TrueTime {
  /** Corrected where the machine's is wrong. */
  readonly wall: WallClock;
  /** @param trusted its word stands before that of others: what many thousands keep their time by */
  asking(server: string, trusted: boolean): Asking;
  /** Ms by which the machine's clock is ahead of the servers'; 0 where it is right, or nobody has said. */
  wrong(): number;
}

/** What is wrong by less is not corrected: `Date` has whole seconds, and a way of its own. */
const tolerance = minute;
/** A correction follows what changes by more. */
const worthwhile = 5 * second;
/** Answers of one server in a row that must agree, and how closely. */
const agreeing = 3;
const agreement = 10 * second;
/** What took longer may have been answered at any time of it. */
const prompt = 5 * second;

interface Heard {
  readonly trusted: boolean;
  readonly offsets: number[];
}

export function createTrueTime(
  machine: WallClock,
  { steady, log }: { readonly steady: Clock; readonly log: Pick<Logger, 'warn' | 'info'> },
): TrueTime {
  const servers = new Map<string, Heard>();
  let offset = 0;

  const correct = () => {
    const said = agreed([...servers.values()]);
    if (said === undefined) return;
    const next = Math.abs(said) > tolerance ? said : 0;
    if (next === offset || (next !== 0 && Math.abs(next - offset) < worthwhile)) return;
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
        if (Number.isNaN(at) || steady.now() - asked > prompt) return;
        const heard = servers.get(server) ?? { trusted, offsets: [] };
        servers.set(server, heard);
        // Whole seconds, cut off: half of one is what is missing on average.
        heard.offsets.push(at + second / 2 - machine.now());
        if (heard.offsets.length > agreeing) heard.offsets.shift();
        correct();
      };
    },
  };
}

/** What most of the best servers say; of two that differ, the one by which less is wrong. */
function agreed(servers: readonly Heard[]): number | undefined {
  const sure = servers.flatMap(({ trusted, offsets }) => {
    const [least, middle, most] = offsets.toSorted((a, b) => a - b);
    if (least === undefined || middle === undefined || most === undefined) return [];
    return most - least > agreement ? [] : [{ trusted, offset: middle }];
  });
  const trusted = sure.filter((each) => each.trusted);
  const said = (trusted.length > 0 ? trusted : sure).map(({ offset }) => offset).toSorted((a, b) => a - b);
  const [low, high] = [said[Math.floor((said.length - 1) / 2)], said[Math.floor(said.length / 2)]];
  if (low === undefined || high === undefined) return undefined;
  return Math.abs(low) < Math.abs(high) ? low : high;
}
