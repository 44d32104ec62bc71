import type { Logger } from 'pino';
import type { Clock, WallClock } from './clock.ts';
import { ConfigError } from './errors.ts';
import { startLoop } from './loop.ts';
import { isDead, owner } from './owner.ts';
import { second } from './units.ts';

/** A role that is this process's, until another takes it. */
export interface Lease {
  readonly role: string;
  /** Higher with each taking: whatever is written under it says so, and a lower one is void. */
  readonly token: number;
}

/** Who has which role. `ttl` is ms by the clock of whoever keeps it. */
export interface Leases {
  /** Null: another has it. @param instead of an owner that is no more, whose time need not be over */
  take(
    role: string,
    given: { readonly owner: string; readonly ttl: number; readonly instead?: string | undefined },
  ): Promise<Lease | null>;
  /** Whoever had it last. */
  owner(role: string): Promise<string | undefined>;
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
  /** False: it may be another's already, for all that is known here, or is about to be. Nothing new is to be begun. */
  holds(): boolean;
}

/** What runs while the role is held. `stop` ends it; what it has begun ends too. */
export interface RoleWork {
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
  /** Others take it of this process where that has more than its share: that is no trouble. */
  readonly shared?: boolean;
}

/** Another has the role within 10 s of its holder's death: this, and a look at it every second. */
const usualTtl = 8 * second;

/** Of the time of a lease, what is left when nothing new is begun under it: a request is on its way by its end. */
const margin = 1 / 16;

/**
 * Has the part run whenever this process has the role, of all processes one at a time. Resolves when the role was first
 * asked for, and the part has started where it was got.
 */
export async function keepRole(
  role: string,
  {
    start,
    leases,
    wall,
    steady,
    log,
    ttl = usualTtl,
    shared = false,
  }: { readonly start: (tenure: Tenure) => Promise<RoleWork> | RoleWork } & RoleOptions,
): Promise<RoleWork> {
  let held: { readonly lease: Lease; readonly part: RoleWork; stopped?: Promise<void> } | undefined;
  let waited = false;
  let unreached = false;
  let patient = Number.NEGATIVE_INFINITY;
  let stopping = false;
  let until = Number.NEGATIVE_INFINITY;
  const holds = () => steady.now() < until - ttl * margin;

  const leave = async () => {
    if (held === undefined) return;
    const leaving = held;
    leaving.stopped ??= leaving.part.stop();
    await leaving.stopped;
    if (held === leaving) held = undefined;
  };

  /**
   * A holder whose lease is over because nobody reached the keeper is there, and alone knows what it has done: it renews before
   * those who only waited may take over.
   */
  const holder = async (): Promise<string | undefined> => {
    const from = steady.now();
    const other = await leases.owner(role);
    if (waited && (unreached || steady.now() - from > ttl / 4)) patient = steady.now() + ttl / 2;
    unreached = false;
    return other;
  };

  const ask = async (): Promise<Lease | null> => {
    const other = await holder();
    const dead = other !== undefined && isDead(other);
    if (other !== undefined && !dead && steady.now() < patient) return null;
    const lease = await leases.take(role, { owner, ttl });
    return lease === null && dead ? leases.take(role, { owner, ttl, instead: other }) : lease;
  };

  const take = async () => {
    const asked = steady.now();
    const lease = await ask();
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
      held = { lease, part: await start({ lease, holds }) };
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
    log[shared ? 'info' : 'warn']({ role }, 'another process took this role over; it has stopped here');
    await leave();
  };

  const turn = async () => {
    if (held !== undefined) await renew(held.lease);
    else if (!stopping) await take();
    return held === undefined ? ttl / 8 : ttl / 4;
  };
  const onError = (error: unknown) => {
    unreached = true;
    log.error({ err: error, role }, 'could not take or renew a role; retrying');
  };
  await turn().catch((error: unknown) => {
    if (error instanceof ConfigError) throw error;
    onError(error);
  });
  const loop = startLoop(turn, { wall, onError });
  return {
    async stop() {
      stopping = true;
      const lease = held?.lease;
      // Renewed until what was begun has ended: nobody else is to begin it meanwhile.
      await leave();
      await loop.stop();
      await leave();
      if (lease !== undefined) await leases.release(lease).catch(onError);
    },
  };
}
