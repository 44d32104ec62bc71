import { slotOf } from '../client/cache.ts';
import type { DataClient } from '../contract/data-client.ts';
import { contract, type EndpointName } from '../contract/index.ts';
import { queryKey } from '../contract/query-key.ts';
import { second } from '../runtime/units.ts';
import { validUntil } from '../runtime/valid-until.ts';

/** The requests of one look of a detector. */
export interface LookRequests {
  /** Returns until when all the answers stay the same, market ms, exclusive. The answers must have arrived. */
  until(): number;
  /**
   * Repeats the requests at a later time at which the answers are still the same, so that others who ask within the
   * same slot get them.
   */
  repeatAt(now: number): void;
}

/** Returns an endpoint's answers of the slot that contains a moment. */
type AnswersOfSlot = (now: number) => Map<string, Promise<unknown>>;

/** A client of the past whose time can be set. */
interface AsLive {
  at(now: number): DataClient;
  /** Returns the requests since the last call of `at`. */
  asked(): LookRequests;
}

/**
 * Makes a client of the past behave like the live client: within a slot of an endpoint's cadence it asks only once, so
 * that detectors whose ticks are close together get the same answer, as they do live. The time is shared: a client that
 * was given for one moment asks about the moment that was set last.
 */
export function asLive(at: (now: number) => DataClient): AsLive {
  let moment = Number.NaN;
  let past: DataClient | undefined;
  let requests: {
    readonly key: string;
    readonly answersAt: AnswersOfSlot;
    readonly answer: Promise<unknown>;
  }[] = [];
  const createRequest = (name: EndpointName) => {
    const cadence = contract[name].cadence * second;
    let slot = Number.NaN;
    let answers = new Map<string, Promise<unknown>>();
    const answersAt = (now: number) => {
      const present = slotOf(now, cadence);
      if (present !== slot) answers = new Map();
      slot = present;
      return answers;
    };
    return (query: object = {}, signal?: AbortSignal): Promise<unknown> => {
      const answers = answersAt(moment);
      const key = queryKey(query);
      let answer = answers.get(key);
      if (answer === undefined) {
        past ??= at(moment);
        answer = (past[name] as (...asked: unknown[]) => Promise<unknown>)(query, signal);
        answers.set(key, answer);
        // A failed request is repeated at the next look, as the live client does.
        answer.catch(() => answers.delete(key));
      }
      requests.push({ key, answersAt, answer });
      return answer;
    };
  };
  const client = Object.fromEntries(
    names.map((name) => [name, createRequest(name)]),
  ) as unknown as DataClient;
  return {
    at(now) {
      if (now !== moment) past = undefined;
      moment = now;
      requests = [];
      return client;
    },
    asked() {
      const made = requests;
      return {
        until: () => Math.min(...made.map(({ answer }) => validUntil(answer) ?? Number.NEGATIVE_INFINITY)),
        repeatAt(now) {
          for (const { key, answersAt, answer } of made) {
            const answers = answersAt(now);
            if (!answers.has(key)) answers.set(key, answer);
          }
        },
      };
    },
  };
}

const names = Object.keys(contract) as EndpointName[];
