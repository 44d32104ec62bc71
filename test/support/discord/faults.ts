/** Ways in which the double of Discord can fail. */
export interface Seen {
  readonly method: string;
  /** The path without `/api/v10`. */
  readonly path: string;
}

export type Fault = {
  /** Which requests the fault hits; all of them if omitted. */
  readonly only?: (request: Seen) => boolean;
  /** How many requests the fault hits; 1 if omitted. */
  readonly times?: number;
} & (
  | {
      readonly answer: {
        readonly status: number;
        readonly body: unknown;
        readonly headers?: Readonly<Record<string, string>>;
      };
    }
  /** Resets the connection before the request has any effect, or after it was carried out. */
  | { readonly reset: 'before' | 'after' }
  /** Never responds; the request has no effect, or was carried out. */
  | { readonly hang: 'before' | 'after' }
);

/** Returns a 429 in Discord's format. One with the scope `shared` does not count as an invalid request. */
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

/** Returns an error in Discord's format. */
export const refused = (
  status: number,
  code: number,
  message: string,
): Extract<Fault, { answer: unknown }>['answer'] => ({ status, body: { message, code } });

export interface Faults {
  inject(fault: Fault): void;
  /** Returns the fault that hits this request, if there is one, and counts it as used. */
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
