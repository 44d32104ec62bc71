import { slotOf } from '../client/cache.ts';
import type { DataClient } from '../contract/data-client.ts';
import { cadenceOf, contract, type Endpoint, type EndpointName } from '../contract/index.ts';
import { second } from '../runtime/units.ts';

const names = Object.keys(contract) as EndpointName[];

/** Returns a text that identifies a query: parameters are plain values, and each caller writes them in the same order. */
function queryKey(query: object): string {
  let text = '';
  for (const name in query) text += `${name}=${(query as Readonly<Record<string, unknown>>)[name]} `;
  return text;
}

/**
 * Makes a client of the past behave like the live client: within a slot of an endpoint's cadence it asks only once, so that
 * detectors whose ticks are close together get the same answer, as they do live. The time is shared: a client that was given for
 * one moment asks about the moment that was given last.
 */
export function asLive(at: (now: number) => DataClient): (now: number) => DataClient {
  let moment = Number.NaN;
  let past: DataClient | undefined;
  const createRequest = (name: EndpointName) => {
    const endpoint: Endpoint = contract[name];
    const slots = new Map<number, { slot: number; readonly answers: Map<string, Promise<unknown>> }>();
    return (query: object = {}, signal?: AbortSignal): Promise<unknown> => {
      const cadence = cadenceOf(endpoint, endpoint.cadenceFor && endpoint.query.parse(query)) * second;
      const kept = slots.getOrInsertComputed(cadence, () => ({ slot: Number.NaN, answers: new Map() }));
      const { answers } = kept;
      const present = slotOf(moment, cadence);
      if (present !== kept.slot) answers.clear();
      kept.slot = present;
      const key = queryKey(query);
      return answers.getOrInsertComputed(key, () => {
        past ??= at(moment);
        const answer = (past[name] as (...asked: unknown[]) => Promise<unknown>)(query, signal);
        // A failed request is repeated at the next look, as the live client does.
        answer.catch(() => answers.delete(key));
        return answer;
      });
    };
  };
  const client = Object.fromEntries(
    names.map((name) => [name, createRequest(name)]),
  ) as unknown as DataClient;
  return (now) => {
    if (now !== moment) past = undefined;
    moment = now;
    return client;
  };
}
