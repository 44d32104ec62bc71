import type { EndpointName } from '../../contract/index.ts';
import { cadenceOf, contract } from '../../contract/index.ts';
import type { MarketClock } from '../../runtime/clock.ts';
import { second } from '../../runtime/units.ts';
import type { AnswerSource } from '../archive/sources.ts';
import { type Body, createBody } from './body.ts';
import { toJson } from './json.ts';

/**
 * The most bytes of bodies that are kept: some 20 endpoints times the symbols and windows in use, each up to 300 kB. The
 * least recently used body is dropped first. Compressed copies add about a third.
 */
const maxHeldBytes = 64_000_000;
/** Bytes counted for each body besides its content, so that the number of very small bodies is bounded too. */
const overhead = 1_000;

export interface Bodies {
  /**
   * Returns the same body until a feed that it is made from changes or the next period of its cadence begins. Concurrent
   * callers share one build.
   */
  get(name: EndpointName, query: object): Promise<Body>;
  /** Must be called when a feed has new data. */
  changed(feed: AnswerSource): void;
}

export function createBodies(options: {
  readonly clock: MarketClock;
  readonly feedsOf: (name: EndpointName) => readonly AnswerSource[];
  readonly build: (name: EndpointName, query: object) => Promise<unknown>;
}): Bodies {
  const changes = new Map<AnswerSource, number>();
  const bodies = new Map<string, Entry>();
  let heldBytes = 0;

  /** Returns a number that differs once the body is out of date. No part of it ever decreases, so no number repeats. */
  const stateOf = (name: EndpointName, query: object): number => {
    let state = Math.floor(options.clock.now() / (cadenceOf(contract[name], query) * second));
    for (const feed of options.feedsOf(name)) state += changes.get(feed) ?? 0;
    return state;
  };

  const drop = (key: string, entry: Entry): void => {
    if (bodies.get(key) !== entry) return;
    bodies.delete(key);
    heldBytes -= entry.size;
  };
  const addBytes = (key: string, entry: Entry, bytes: number): void => {
    if (bodies.get(key) !== entry) return;
    entry.size += bytes;
    heldBytes += bytes;
    for (const [oldest, other] of bodies) {
      if (heldBytes <= maxHeldBytes) return;
      drop(oldest, other);
    }
  };

  /** Drops the least recently used bodies if they are out of date: a query that contains a time is never sent again. */
  const sweep = (): void => {
    for (const [key, entry] of bodies) {
      if (entry.state === stateOf(entry.name, entry.query)) return;
      drop(key, entry);
    }
  };

  return {
    get(name, query) {
      const key = `${name} ${JSON.stringify(query)}`;
      // The state is read before the build: data that arrives meanwhile, and may be missing in the body, makes it out of date.
      const state = stateOf(name, query);
      const known = bodies.get(key);
      if (known?.state === state) {
        bodies.delete(key);
        bodies.set(key, known);
        return known.body;
      }
      sweep();
      if (known !== undefined) drop(key, known);
      const body = options.build(name, query).then((answer) => createBody(toJson(answer)));
      const entry: Entry = { name, query, state, body, size: 0 };
      bodies.set(key, entry);
      addBytes(key, entry, overhead);
      body.then(
        ({ bytes }) => addBytes(key, entry, bytes.length),
        () => drop(key, entry),
      );
      return body;
    },
    changed: (feed) => void changes.set(feed, (changes.get(feed) ?? 0) + 1),
  };
}

interface Entry {
  readonly name: EndpointName;
  readonly query: object;
  readonly state: number;
  readonly body: Promise<Body>;
  /** Bytes counted for this entry. */
  size: number;
}
