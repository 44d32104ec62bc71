import { AnswerCache, current } from '../client/cache.ts';
import type { DataClient } from '../contract/data-client.ts';
import { contract, type EndpointName } from '../contract/index.ts';
import { second } from '../runtime/units.ts';

/** Endpoints times the symbols and windows that detectors ask within one slot of the longest cadence. */
const kept = 1_000;

/**
 * The past through the eyes of the live client: within a slot of an endpoint's cadence it asks once, so that
 * detectors whose ticks lie close together see one answer, here as there.
 */
export function asLive(at: (now: number) => DataClient): (now: number) => DataClient {
  const answers = new AnswerCache<Promise<unknown>>(kept);
  return (now) => {
    const past = at(now);
    const ask = (name: EndpointName) => (query: object | undefined, signal?: AbortSignal) => {
      const key = `${name} ${JSON.stringify(query ?? {})}`;
      const cadence = contract[name].cadence * second;
      const known = answers.get(key);
      if (known !== undefined && current(known.at, now, cadence)) return known.value;
      const answer = (past[name] as (...asked: unknown[]) => Promise<unknown>)(query, signal);
      answers.set(key, answer, { at: now, until: now + cadence });
      // What failed is asked again at the next look, as by the client.
      const never = Number.NEGATIVE_INFINITY;
      answer.catch(() => answers.set(key, answer, { at: never, until: never }));
      return answer;
    };
    return Object.fromEntries(names.map((name) => [name, ask(name)])) as unknown as DataClient;
  };
}

const names = Object.keys(contract) as EndpointName[];
