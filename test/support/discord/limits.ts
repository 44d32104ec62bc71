/** Discord's rate limits: a global one for each bot, and buckets for each route and top-level channel. */

export interface LimitOptions {
  /** Requests per second; null turns off every limit. */
  readonly perSecond: number | null;
  /** Whether the global limit uses a sliding window of one second; otherwise the count restarts at each whole second. */
  readonly sliding: boolean;
  /** The limit of each bucket. */
  readonly bucket: { readonly limit: number; readonly per: number };
}

export const realLimits: LimitOptions = { perSecond: 50, sliding: true, bucket: { limit: 5, per: 5_000 } };
export const noLimits: LimitOptions = { ...realLimits, perSecond: null };

export interface Ruling {
  readonly headers: Readonly<Record<string, string>>;
  /** Set if the request is refused: for how long, ms, and by which limit. */
  readonly refused?: { readonly retryAfter: number; readonly global: boolean };
}

export interface Limits {
  /**
   * Counts a request in the bucket `<hash> <major id>`; undefined: only the global limit applies. `exempt`: the global limit
   * does not apply.
   */
  take(bucket: string | undefined, exempt: boolean): Ruling;
}

export function createLimits({ perSecond, sliding, bucket: rule }: LimitOptions, now: () => number): Limits {
  let recent: number[] = [];
  const buckets = new Map<string, { left: number; resets: number }>();

  const globalWait = (at: number): number => {
    if (perSecond === null) return 0;
    const from = sliding ? at - 1_000 : Math.floor(at / 1_000) * 1_000 - 1;
    recent = recent.filter((time) => time > from);
    const first = recent[recent.length - perSecond];
    if (first === undefined) return 0;
    return sliding ? first + 1_000 - at : Math.floor(at / 1_000) * 1_000 + 1_000 - at;
  };

  return {
    take(name, exempt) {
      if (perSecond === null) return { headers: {} };
      const at = now();
      const wait = exempt ? 0 : globalWait(at);
      if (wait > 0) {
        const headers = { 'x-ratelimit-global': 'true', 'x-ratelimit-scope': 'global' };
        return { headers, refused: { retryAfter: wait, global: true } };
      }
      if (name === undefined) {
        if (!exempt) recent.push(at);
        return { headers: {} };
      }
      const known = buckets.get(name);
      const bucket =
        known === undefined || known.resets <= at ? { left: rule.limit, resets: at + rule.per } : known;
      buckets.set(name, bucket);
      const refused = bucket.left === 0;
      if (!refused) {
        bucket.left -= 1;
        if (!exempt) recent.push(at);
      }
      const left = bucket.resets - at;
      const headers = {
        'x-ratelimit-limit': String(rule.limit),
        'x-ratelimit-remaining': String(bucket.left),
        'x-ratelimit-reset': (bucket.resets / 1_000).toFixed(3),
        'x-ratelimit-reset-after': (left / 1_000).toFixed(3),
        // Discord returns the same bucket hash for every channel but counts each channel separately.
        'x-ratelimit-bucket': name.split(' ')[0] ?? '',
        ...(refused && { 'x-ratelimit-scope': 'user' }),
      };
      return { headers, ...(refused && { refused: { retryAfter: left, global: false } }) };
    },
  };
}
