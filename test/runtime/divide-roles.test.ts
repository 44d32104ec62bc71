import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CountedLeases, divideRoles } from '#src/runtime/divide-roles.ts';

/** Leases with a clock that the test moves. */
function keeper() {
  const kept = new Map<string, { owner: string; token: number; until: number }>();
  let now = 0;
  const leases: CountedLeases = {
    async take(role, { owner, ttl, instead }) {
      await Promise.resolve();
      const { token = 0, until = 0, owner: before } = kept.get(role) ?? {};
      if (until > now && (instead === undefined || before !== instead)) return null;
      kept.set(role, { owner, token: token + 1, until: now + ttl });
      return { role, token: token + 1 };
    },
    async renew({ role, token }, ttl) {
      const lease = kept.get(role);
      if (lease?.token !== token) return false;
      lease.until = now + ttl;
      return true;
    },
    owner: async (role) => kept.get(role)?.owner,
    all: async () =>
      [...kept].map(([role, { owner, token, until }]) => ({ role, owner, token, held: until > now })),
    async release() {},
  };
  const later = (ms: number) => {
    now += ms;
  };
  return { leases, later };
}

const ttl = 8;

/** Lets each process take a turn: it renews the roles that it has and asks for the others. */
async function turn(
  processes: readonly { readonly owner: string; readonly leases: CountedLeases }[],
  roles: readonly string[],
) {
  await Promise.all(
    processes.map(async ({ owner, leases }) => {
      const own = divideRoles(leases, roles);
      const held = await leases.all();
      await Promise.all(
        roles.map(async (role) => {
          const lease = held.find((each) => each.role === role && each.owner === owner && each.held);
          if (lease === undefined || !(await own.renew(lease, ttl))) await own.take(role, { owner, ttl });
        }),
      );
    }),
  );
}

test('whichever processes come and go, all roles are held, about equally many by each', async () => {
  const coming = fc.array(fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 }), {
    minLength: 1,
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(coming, fc.integer({ min: 1, max: 8 }), async (lives, count) => {
      const roles = Array.from({ length: count }, (_, shard) => `rules:${shard}`);
      const { leases, later } = keeper();
      for (const alive of lives) {
        const processes = alive.map((owner) => ({ owner, leases }));
        // The leases of processes that have left expire, and then a few turns must suffice.
        later(ttl);
        for (let turns = 0; turns < 12; turns += 1) {
          await turn(processes, roles);
          later(1);
        }
        const held = (await leases.all()).filter((each) => each.held);
        expect(held).toHaveLength(count);
        const counts = alive.map((owner) => held.filter((each) => each.owner === owner).length);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        // After that every process keeps its roles.
        await turn(processes, roles);
        expect((await leases.all()).map(({ token }) => token)).toEqual(held.map(({ token }) => token));
      }
    }),
    { numRuns: 30 },
  );
});

test('a role that is not divided counts for no process’s share', async () => {
  const { leases } = keeper();
  const own = divideRoles(leases, ['rules:0']);
  for (const role of ['watch', 'expand', 'talk', 'rules:0']) await own.take(role, { owner: 'a', ttl });
  expect(await own.take('watch', { owner: 'b', ttl })).toBeNull();
  expect(await own.take('rules:0', { owner: 'b', ttl })).toBeNull();
});
