import { slotOf } from '../client/cache.ts';
import { asked } from '../contract/asked.ts';
import type { DataClient } from '../contract/data-client.ts';
import { contract, type EndpointName } from '../contract/index.ts';
import { standsUntil } from '../runtime/standing.ts';
import { second } from '../runtime/units.ts';

/** The requests of one look of a detector. */
export interface AskedThen {
  /** Returns until when all the answers stay the same, market ms, exclusive. The answers must have arrived. */
  until(): number;
  /**
   * Repeats the requests at a later time at which the answers are still the same, so that others who ask within the
   * same slot get them.
   */
  again(now: number): void;
}

/** Returns an endpoint's answers of the slot that contains a moment. */
type Slotted = (now: number) => Map<string, Promise<unknown>>;

/** A client of the past whose time can be set. */
interface AsLive {
  at(now: number): DataClient;
  /** Returns the requests since the last call of `at`. */
  asked(): AskedThen;
}

/**
 * Makes a client of the past behave like the live client: within a slot of an endpoint's cadence it asks only once, so
 * that detectors whose ticks are close together get the same answer, as they do live. The time is shared: a client that
 * was given for one moment asks about the moment that was set last.
 */
export function asLive(at: (now: number) => DataClient): AsLive {
  let moment = Number.NaN;
  let past: DataClient | undefined;
  let asks: { readonly key: string; readonly slotted: Slotted; readonly answer: Promise<unknown> }[] = [];
  const asking = (name: EndpointName) => {
    const cadence = contract[name].cadence * second;
    let slot = Number.NaN;
    let answers = new Map<string, Promise<unknown>>();
    const slotted = (now: number) => {
      const present = slotOf(now, cadence);
      if (present !== slot) answers = new Map();
      slot = present;
      return answers;
    };
    return (query: object = {}, signal?: AbortSignal): Promise<unknown> => {
      const answers = slotted(moment);
      const key = asked(query);
      let answer = answers.get(key);
      if (answer === undefined) {
        past ??= at(moment);
        answer = (past[name] as (...asked: unknown[]) => Promise<unknown>)(query, signal);
        answers.set(key, answer);
        // A failed request is repeated at the next look, as the live client does.
        answer.catch(() => answers.delete(key));
      }
      asks.push({ key, slotted, answer });
      return answer;
    };
  };
  const client = Object.fromEntries(names.map((name) => [name, asking(name)])) as unknown as DataClient;
  return {
    at(now) {
      if (now !== moment) past = undefined;
      moment = now;
      asks = [];
      return client;
    },
    asked() {
      const these = asks;
      return {
        until: () => Math.min(...these.map(({ answer }) => standsUntil(answer) ?? Number.NEGATIVE_INFINITY)),
        again(now) {
          for (const { key, slotted, answer } of these) {
            const answers = slotted(now);
            if (!answers.has(key)) answers.set(key, answer);
          }
        },
      };
    },
  };
}

const names = Object.keys(contract) as EndpointName[];
