import type { Lease, Leases } from './role.ts';

/** Leases of which it can be told who has how many. */
export interface CountedLeases extends Leases {
  /** Every role that was ever taken. */
  all(): Promise<readonly (Lease & { readonly owner: string; readonly held: boolean })[]>;
}

/**
 * Leases of roles that all processes divide among them: whoever has two fewer than another takes one instead of it. Each
 * such taking makes the numbers less unequal, so that they end with a difference of one, and nobody gives back, asks or
 * waits: a role that was taken over writes nothing any more, whether its holder lives or not. One at a time in a process,
 * that it does not take more than it saw.
 */
export function divided(leases: CountedLeases, roles: readonly string[]): Leases {
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
