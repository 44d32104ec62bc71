import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Clock, WallClock } from './clock.ts';
import { ConfigError } from './errors.ts';
import { startLoop } from './loop.ts';
import { second } from './units.ts';

/** A role that is this process's, until another takes it. */
export interface Lease {
  readonly role: string;
  /** Higher with each taking: whatever is written under it says so, and a lower one is void. */
  readonly token: number;
}

/** Who has which role. `ttl` is ms by the clock of whoever keeps it. */
export interface Leases {
  /** Null: another has it. */
  take(role: string, owner: string, ttl: number): Promise<Lease | null>;
  /** False: it is another's by now. */
  renew(lease: Lease, ttl: number): Promise<boolean>;
  /** Another may have it at once. */
  release(lease: Lease): Promise<void>;
}

/** What is written under a lease that another has taken. */
export class LostRole extends Error {
  override readonly name = 'LostRole';
  constructor(role: string) {
    super(`the role ${role} is another process's by now`);
  }
}

/** A role while it is held. */
export interface Tenure {
  readonly lease: Lease;
  /** False: it may be another's already, for all that is known here. Nothing new is to be begun. */
  holds(): boolean;
}

/** What runs while the role is held. `stop` ends it; what it has begun ends too. */
export interface Part {
  stop(): Promise<void>;
}

export interface RoleOptions {
  readonly leases: Leases;
  readonly wall: WallClock;
  /** Ms that never jump: how long a lease has been held is not asked of a clock that can be set. */
  readonly steady: Clock;
  readonly log: Logger;
  /** Ms; another has the role after it at the latest, where its holder is no more. */
  readonly ttl?: number;
}

/** Another has the role within 10 s of its holder's death: this, and a look at it every second. */
const usualTtl = 8 * second;

/** One process, whatever machine it is on. */
const owner = `${hostname()} ${process.pid}`;

/**
 * Has the part run whenever this process has the role, of all processes one at a time. Resolves when the role was first
 * asked for, and the part has started where it was got.
 */
export async function keepRole(
  role: string,
  start: (tenure: Tenure) => Promise<Part> | Part,
  { leases, wall, steady, log, ttl = usualTtl }: RoleOptions,
): Promise<Part> {
  let held: { readonly lease: Lease; readonly part: Part } | undefined;
  let until = Number.NEGATIVE_INFINITY;
  let waited = false;

  const leave = async () => {
    const leaving = held;
    held = undefined;
    await leaving?.part.stop();
  };

  const take = async () => {
    const asked = steady.now();
    const lease = await leases.take(role, owner, ttl);
    if (lease === null) {
      if (!waited) log.info({ role }, 'another process holds this role; this one takes over when it ends');
      waited = true;
      return;
    }
    // Counted from before it was asked for: by the keeper's clock it lasts longer than by this one.
    until = asked + ttl;
    if (waited) log.info({ role }, 'took this role over from another process');
    waited = false;
    try {
      held = { lease, part: await start({ lease, holds: () => steady.now() < until }) };
    } catch (error) {
      await leases.release(lease);
      throw error;
    }
  };

  const renew = async (lease: Lease) => {
    const asked = steady.now();
    if (await leases.renew(lease, ttl)) {
      until = asked + ttl;
      return;
    }
    until = Number.NEGATIVE_INFINITY;
    log.warn({ role }, 'another process took this role over; it has stopped here');
    await leave();
  };

  const turn = async () => {
    if (held === undefined) await take();
    else await renew(held.lease);
    return held === undefined ? ttl / 8 : ttl / 4;
  };
  const onError = (error: unknown) =>
    log.error({ err: error, role }, 'could not take or renew a role; retrying');
  await turn().catch((error: unknown) => {
    if (error instanceof ConfigError) throw error;
    onError(error);
  });
  const loop = startLoop(turn, { wall, onError });
  return {
    async stop() {
      await loop.stop();
      const lease = held?.lease;
      await leave();
      if (lease !== undefined) await leases.release(lease).catch(onError);
    },
  };
}
