/** Ways for the double to fail. */
export interface Seen {
  readonly method: string;
  /** Without `/api/v10`. */
  readonly path: string;
}

export type Fault = {
  /** Every request where absent. */
  readonly only?: (request: Seen) => boolean;
  /** How many requests it meets; 1 where absent. */
  readonly times?: number;
} & (
  | {
      readonly answer: {
        readonly status: number;
        readonly body: unknown;
        readonly headers?: Readonly<Record<string, string>>;
      };
    }
  /** The connection is reset, before the request did anything or after it did all. */
  | { readonly reset: 'before' | 'after' }
  /** No answer comes, though the request did nothing, or all. */
  | { readonly hang: 'before' | 'after' }
);

/** A 429 as Discord words it. `scope` shared does not count as an invalid request. */
export const limited = (
  retryAfter: number,
  scope: 'user' | 'global' | 'shared' = 'user',
): Extract<Fault, { answer: unknown }>['answer'] => ({
  status: 429,
  body: { message: 'You are being rate limited.', retry_after: retryAfter, global: scope === 'global' },
  headers: {
    'retry-after': String(Math.ceil(retryAfter)),
    'x-ratelimit-scope': scope,
    ...(scope === 'global' && { 'x-ratelimit-global': 'true' }),
  },
});

/** An error as Discord words it. */
export const refused = (
  status: number,
  code: number,
  message: string,
): Extract<Fault, { answer: unknown }>['answer'] => ({ status, body: { message, code } });

export interface Faults {
  inject(fault: Fault): void;
  /** The fault that meets this request, if any; it is used up by that. */
  meet(request: Seen): Fault | undefined;
}

export function createFaults(): Faults {
  let faults: { readonly fault: Fault; left: number }[] = [];
  return {
    inject: (fault) => void faults.push({ fault, left: fault.times ?? 1 }),
    meet(request) {
      const met = faults.find(({ fault }) => fault.only?.(request) ?? true);
      if (met === undefined) return undefined;
      met.left -= 1;
      faults = faults.filter(({ left }) => left > 0);
      return met.fault;
    },
  };
}
