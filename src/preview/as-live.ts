import { slotOf } from '../client/cache.ts';
import { asked } from '../contract/asked.ts';
import type { DataClient } from '../contract/data-client.ts';
import { contract, type EndpointName } from '../contract/index.ts';
import { second } from '../runtime/units.ts';

/**
 * The past through the eyes of the live client: within a slot of an endpoint's cadence it asks once, so that
 * detectors whose ticks lie close together see one answer, here as there. There is one present: a client that was given
 * for a moment asks about whichever was asked for last.
 */
export function asLive(at: (now: number) => DataClient): (now: number) => DataClient {
  let moment = Number.NaN;
  let past: DataClient | undefined;
  const asking = (name: EndpointName) => {
    const cadence = contract[name].cadence * second;
    let slot = Number.NaN;
    let answers = new Map<string, Promise<unknown>>();
    return (query: object = {}, signal?: AbortSignal): Promise<unknown> => {
      const present = slotOf(moment, cadence);
      if (present !== slot) answers = new Map();
      slot = present;
      const key = asked(query);
      const known = answers.get(key);
      if (known !== undefined) return known;
      past ??= at(moment);
      const answer = (past[name] as (...asked: unknown[]) => Promise<unknown>)(query, signal);
      const slotted = answers;
      slotted.set(key, answer);
      // What failed is asked again at the next look, as by the client.
      answer.catch(() => slotted.delete(key));
      return answer;
    };
  };
  const client = Object.fromEntries(names.map((name) => [name, asking(name)])) as unknown as DataClient;
  return (now) => {
    if (now !== moment) past = undefined;
    moment = now;
    return client;
  };
}

const names = Object.keys(contract) as EndpointName[];
