import { minute, second } from '#src/runtime/units.ts';
import type { Store } from '#src/store/ports.ts';
import type { FakeClock } from '#test/support/clock.ts';
import type { Life } from './life.ts';
import type { DatabaseFault } from './plan.ts';

const errors: Readonly<Record<DatabaseFault, () => Error>> = {
  locked: () => Object.assign(new Error('database is locked'), { errcode: 5 }),
  full: () => Object.assign(new Error('database or disk is full'), { errcode: 13 }),
  corrupt: () => Object.assign(new Error('database disk image is malformed'), { errcode: 11 }),
  restarted: () => Object.assign(new Error('terminating connection'), { code: '57P01' }),
  silent: () => new Error('Postgres has said nothing for 40 s'),
  unanswered: () => Object.assign(new Error('Connection terminated'), { code: 'ECONNRESET' }),
};

/** One database, and the fault that all who use it meet. */
export interface Database {
  fault: DatabaseFault | undefined;
  /** Returns the store as one process uses it. */
  of(life: Life): Store;
}

export function createDatabase(store: Store, real: FakeClock, random: () => number): Database {
  const leases = expiring(store.leases, real);
  const database: Database = {
    fault: undefined,
    of: (life) => wrap({ ...store, leases }, life),
  };

  async function ask<Result>(life: Life, work: () => Promise<Result>): Promise<Result> {
    await life.pass();
    const { fault } = database;
    if (fault === 'silent') {
      const until = real.now() + 40 * second;
      while (database.fault === 'silent' && real.now() < until) await real.sleep(second);
      await life.pass();
    }
    if (fault !== undefined && fault !== 'unanswered') throw errors[fault]();
    const result = await work();
    await life.pass();
    if (fault === 'unanswered' && random() < 1 / 3) throw errors.unanswered();
    return result;
  }

  function wrap<Part extends object>(part: Part, life: Life): Part {
    return new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name === 'under')
          return (...given: Parameters<Store['under']>) => wrap(store.under(...given), life);
        if (typeof value === 'function')
          return (...given: unknown[]) => ask(life, async () => Reflect.apply(value, target, given));
        return typeof value === 'object' && value !== null ? wrap(value, life) : value;
      },
    });
  }

  return database;
}

/** Wraps leases as on a database that many processes share: a role is free once its lease has expired. */
function expiring(leases: Store['leases'], { now }: FakeClock): Store['leases'] {
  const until = new Map<string, number>();
  return {
    all: leases.all,
    async take(role, { owner, ttl }) {
      if ((until.get(role) ?? 0) > now()) return null;
      until.set(role, now() + ttl);
      return leases.take(role, { owner, ttl });
    },
    async renew(lease, ttl) {
      const own = await leases.renew(lease, ttl);
      if (own) until.set(lease.role, now() + ttl);
      return own;
    },
    // A process on another machine is not seen to have ended, so its lease must expire.
    owner: async (role) => (until.has(role) ? 'elsewhere 1' : undefined),
    async release(lease) {
      if (await leases.renew(lease, minute)) until.delete(lease.role);
    },
  };
}
