import { createHash } from 'node:crypto';
import type { EndpointName } from '../../contract/index.ts';
import { contract } from '../../contract/index.ts';
import type { MarketClock } from '../../runtime/clock.ts';
import { second } from '../../runtime/units.ts';
import type { Feed } from '../handlers/handler.ts';
import { toJson } from './json.ts';

/** A response as it goes out. */
export interface Body {
  readonly json: Buffer;
  readonly etag: string;
}

/** Bodies kept: some 20 endpoints times the symbols and windows in use; the least recently used goes first. */
const kept = 2_000;

export interface Bodies {
  /** The same body until a feed it is made from changes or its cadence turns; concurrent callers share one build. */
  get(name: EndpointName, query: unknown): Promise<Body>;
  /** A feed has new data. */
  changed(feed: Feed): void;
}

export function createBodies(options: {
  readonly clock: MarketClock;
  readonly feedsOf: (name: EndpointName) => readonly Feed[];
  readonly build: (name: EndpointName, query: unknown) => Promise<unknown>;
}): Bodies {
  const changes = new Map<Feed, number>();
  const bodies = new Map<string, { readonly state: string; readonly body: Promise<Body> }>();

  const stateOf = (name: EndpointName): string => {
    const turn = Math.floor(options.clock.now() / (contract[name].cadence * second));
    return [turn, ...options.feedsOf(name).map((feed) => changes.get(feed) ?? 0)].join();
  };

  return {
    get(name, query) {
      const key = `${name} ${JSON.stringify(query)}`;
      // Taken before the build: data that arrives meanwhile makes the body it may have missed an old one.
      const state = stateOf(name);
      const known = bodies.get(key);
      bodies.delete(key);
      if (known?.state === state) {
        bodies.set(key, known);
        return known.body;
      }
      const body = options.build(name, query).then(serialise);
      const entry = { state, body };
      bodies.set(key, entry);
      if (bodies.size > kept) bodies.delete(bodies.keys().next().value ?? '');
      body.catch(() => {
        if (bodies.get(key) === entry) bodies.delete(key);
      });
      return body;
    },
    changed: (feed) => void changes.set(feed, (changes.get(feed) ?? 0) + 1),
  };
}

function serialise(answer: unknown): Body {
  const json = Buffer.from(toJson(answer));
  return { json, etag: `"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"` };
}
