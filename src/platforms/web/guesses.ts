import { createHash } from 'node:crypto';
import { createRefills } from '../../runtime/bucket.ts';
import { second } from '../../runtime/units.ts';

/** An attempt that waits to be told whether its credential was right. */
interface Attempt {
  /** The credential was right. Otherwise it counts as wrong. */
  succeed(): void;
}

/** Slows those who guess tokens and keys. */
export interface Guesses {
  /**
   * Takes an attempt of an address, before its credential is looked at, so that attempts at the same time count, too.
   * @throws TooOften
   */
  begin(address: string, credential: string): Attempt;
}

/** What was asked for was not looked at, because too much of its kind was. */
export class TooOften extends Error {
  readonly statusCode = 429;
  /** Whole seconds. */
  readonly retryAfter: number;
  /** @param wait ms */
  constructor(what: string, wait: number) {
    const retryAfter = Math.ceil(wait / second);
    super(`${what}: try again in ${retryAfter} s`);
    this.retryAfter = retryAfter;
  }
}

/** How many wrong ones an address may send at once, and the ms after which each may be repeated. */
const burst = 10;
const interval = 6 * second;
/** How many right credentials are remembered at most. */
const maxRemembered = 1_000;

/**
 * Creates the limit. A credential that has been right before is never slowed: behind a proxy all have one address, and who
 * guesses there must not shut the others out.
 * @param now wall ms
 */
export function createGuesses(now: () => number): Guesses {
  const attempts = createRefills({ burst, interval });
  const known = new Set<string>();
  return {
    begin(given, credential) {
      const hash = createHash('sha256').update(credential).digest('base64');
      if (known.has(hash)) return { succeed: () => {} };
      const address = groupOf(given);
      const wait = attempts.take(address, now());
      if (wait > 0) throw new TooOften('too many wrong tokens or keys came from this address', wait);
      return {
        succeed() {
          attempts.giveBack(address, now());
          known.add(hash);
          if (known.size > maxRemembered) known.delete(known.values().next().value ?? '');
        },
      };
    },
  };
}

/** Returns what is counted together: an IPv4 address, or the network of an IPv6 address, of which one person has 2^64. */
function groupOf(address: string): string {
  const ipv4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (ipv4 !== undefined) return ipv4;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  return [...groups, ...Array<string>(Math.max(0, missing)).fill('0'), ...(tail?.split(':') ?? [])]
    .slice(0, 4)
    .join(':');
}
