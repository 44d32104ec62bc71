import ipaddr from 'ipaddr.js';
import { minute } from '../../runtime/units.ts';

/** The interface's pool for requests without a key. */
export const anonymousLimit = { max: 300, per: 15 * minute } as const;

/** Clients remembered at once; past it the one whose window began first is forgotten, and so begins anew. */
const remembered = 10_000;

export interface Limiter {
  /** Counts one request of a client address at wall time `now`; returns ms to wait, 0 where it may pass. */
  take(address: string, now: number): number;
}

/** `max` requests in a window of `per` ms that begins with a client's first request. */
export function createLimiter({ max, per }: { readonly max: number; readonly per: number }): Limiter {
  const windows = new Map<string, { readonly ends: number; count: number }>();
  return {
    take(address, now) {
      const client = clientOf(address);
      const open = windows.get(client);
      if (open !== undefined && now < open.ends) {
        open.count += 1;
        return open.count <= max ? 0 : open.ends - now;
      }
      windows.delete(client);
      windows.set(client, { ends: now + per, count: 1 });
      if (windows.size > remembered) windows.delete(windows.keys().next().value ?? '');
      return 0;
    },
  };
}

/** One IPv4 address, or one IPv6 /64: whoever holds one address of a /64 usually holds all of them. */
export function clientOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? `${parsed.parts.slice(0, 4).join(':')}/64` : parsed.toString();
}
