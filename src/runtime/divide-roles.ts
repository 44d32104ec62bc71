import type { Lease, Leases } from './role.ts';

/** Leases that can be counted by owner. */
export interface CountedLeases extends Leases {
  /** Returns every role that was ever taken. */
  all(): Promise<readonly (Lease & { readonly owner: string; readonly held: boolean })[]>;
}

/**
 * Divides roles evenly among all processes: a process that holds at least two fewer roles than another takes over one
 * of the other's. Each takeover makes the numbers less unequal, until they differ by one at most. No process has to
 * give a role back, ask for one or wait: after a takeover the former holder can write nothing more under the role,
 * whether it lives or not. A process takes one role at a time, so that it does not take more than its count allows.
 */
export function divideRoles(leases: CountedLeases, roles: readonly string[]): Leases {
  let last: Promise<unknown> = Promise.resolve();

  const take: Leases['take'] = async (role, given) => {
    const lease = await leases.take(role, given);
    if (lease !== null || given.instead !== undefined) return lease;
    const held = (await leases.all()).filter((each) => each.held && roles.includes(each.role));
    const count = (whose: string) => held.filter(({ owner }) => owner === whose).length;
    const other = held.find((each) => each.role === role)?.owner;
    if (other === undefined || count(other) < count(given.owner) + 2) return null;
    return leases.take(role, { ...given, instead: other });
  };
  return {
    ...leases,
    take(role, given) {
      const taking = last.then(() => take(role, given));
      last = taking.catch(() => {});
      return taking;
    },
  };
}
