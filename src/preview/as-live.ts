import { slotOf } from '../client/cache.ts';
import { asked } from '../contract/asked.ts';
import type { DataClient } from '../contract/data-client.ts';
import { contract, type EndpointName } from '../contract/index.ts';
import { standsUntil } from '../runtime/standing.ts';
import { second } from '../runtime/units.ts';

/** What was asked at one look. */
export interface AskedThen {
  /** Market ms, excluded, until which all the answers stand. They have come. */
  until(): number;
  /** As if the same were asked now, while they stand: for those who ask within the same slot. */
  again(now: number): void;
}

/** An endpoint's answers of the slot in which a moment lies. */
type Slotted = (now: number) => Map<string, Promise<unknown>>;

/** The past, asked moment after moment. */
interface AsLive {
  at(now: number): DataClient;
  /** Since `at` was called. */
  asked(): AskedThen;
}

/**
 * The past through the eyes of the live client: within a slot of an endpoint's cadence it asks once, so that
 * detectors whose ticks lie close together see one answer, here as there. There is one present: a client that was given
 * for a moment asks about whichever was asked for last.
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
        // What failed is asked again at the next look, as by the client.
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
