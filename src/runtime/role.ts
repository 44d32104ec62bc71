import type { Logger } from 'pino';
import type { Clock, WallClock } from './clock.ts';
import { ConfigError } from './errors.ts';
import { startLoop } from './loop.ts';
import { isDead, owner } from './owner.ts';
import { second } from './units.ts';

/** A role that this process holds until another process takes it. */
export interface Lease {
  readonly role: string;
  /**
   * Increases each time the role is taken. Whatever is written under the lease carries its token, and a lower token is
   * void.
   */
  readonly token: number;
}

/** Stores which process holds which role. `ttl` is ms by the clock of the store. */
export interface Leases {
  /**
   * Takes a role; null if another process holds it.
   * @param instead an owner from which the role is taken even though its lease has not expired
   */
  take(
    role: string,
    given: { readonly owner: string; readonly ttl: number; readonly instead?: string | undefined },
  ): Promise<Lease | null>;
  owner(role: string): Promise<string | undefined>;
  /** Extends a lease. False if another process has taken the role. */
  renew(lease: Lease, ttl: number): Promise<boolean>;
  /** Gives a role back, so that another process may take it at once. */
  release(lease: Lease): Promise<void>;
}

/** Leases with a view of all of them. */
export interface ListedLeases extends Leases {
  /** Returns every role that was ever taken. */
  all(): Promise<readonly (Lease & { readonly owner: string; readonly held: boolean })[]>;
}

/** Thrown at a write under a lease that another process has taken over. */
export class LostRole extends Error {
  override readonly name = 'LostRole';
  constructor(role: string) {
    super(`the role ${role} is another process's by now`);
  }
}

export interface HeldRole {
  readonly lease: Lease;
  /**
   * False if another process may already hold the role or will soon, as far as this process knows. Nothing new may be
   * started then.
   */
  isHeld(): boolean;
}

/** The work that runs while the role is held. `stop` ends it and everything that it has started. */
export interface RoleWork {
  stop(): Promise<void>;
}

export interface RoleOptions {
  readonly leases: Leases;
  readonly wall: WallClock;
  /** Milliseconds that never jump: how long a lease has been held must not depend on a clock that can be set. */
  readonly steady: Clock;
  readonly log: Logger;
  /** Length of the lease, ms. If the holder has died, another process takes the role after this time at the latest. */
  readonly ttl?: number;
}

/** Another process has the role within 10 s of its holder's death: the lease takes 8 s, and others look every second. */
const usualTtl = 8 * second;

/** The share of a lease's time before its end in which nothing new is started, so that a request is sent by its end. */
const margin = 1 / 16;

/**
 * Runs the work whenever this process holds the role; of all processes only one holds it at a time. Resolves after the
 * first attempt to take the role; if that succeeded, the work has started.
 */
export async function keepRole(
  role: string,
  { leases, wall, steady, log, ttl = usualTtl }: RoleOptions,
  start: (heldRole: HeldRole) => Promise<RoleWork> | RoleWork,
): Promise<RoleWork> {
  let held: { readonly lease: Lease; readonly work: RoleWork; stopped?: Promise<void> } | undefined;
  let isWaiting = false;
  let isUnreachable = false;
  let yieldUntil = Number.NEGATIVE_INFINITY;
  let stopping = false;
  let heldFrom: ReturnType<typeof readClocks> | undefined;
  const readClocks = () => ({ steady: steady.now(), wall: wall.now() });
  // The wall clock may be set, but the steady one stands still while the machine sleeps (clock_gettime(2), CLOCK_MONOTONIC).
  const isHeld = () =>
    heldFrom !== undefined &&
    Math.max(steady.now() - heldFrom.steady, wall.now() - heldFrom.wall) < ttl * (1 - margin);

  const stopWork = async () => {
    if (held === undefined) return;
    const leaving = held;
    leaving.stopped ??= leaving.work.stop();
    await leaving.stopped;
    if (held === leaving) held = undefined;
  };

  /**
   * Returns the last owner of the role. If the store could not be reached, a live holder's lease may have expired too,
   * and that holder alone knows what it has done: this process then waits, so that the holder can renew first.
   */
  const readOwner = async (): Promise<string | undefined> => {
    const from = steady.now();
    const other = await leases.owner(role);
    if (isWaiting && (isUnreachable || steady.now() - from > ttl / 4)) yieldUntil = steady.now() + ttl / 2;
    isUnreachable = false;
    return other;
  };

  const requestLease = async (): Promise<Lease | null> => {
    const other = await readOwner();
    const dead = other !== undefined && isDead(other);
    if (other !== undefined && !dead && steady.now() < yieldUntil) return null;
    const lease = await leases.take(role, { owner, ttl });
    return lease === null && dead ? leases.take(role, { owner, ttl, instead: other }) : lease;
  };

  const take = async () => {
    const requestedAt = readClocks();
    const lease = await requestLease();
    if (lease === null) {
      if (!isWaiting) log.info({ role }, 'another process holds this role; this one takes over when it ends');
      isWaiting = true;
      return;
    }
    // Counted from before the request: by the store's clock the lease ends later than by this clock.
    heldFrom = requestedAt;
    if (isWaiting) log.info({ role }, 'took this role over from another process');
    isWaiting = false;
    try {
      held = { lease, work: await start({ lease, isHeld }) };
    } catch (error) {
      await leases.release(lease);
      throw error;
    }
  };

  const renew = async (lease: Lease) => {
    const requestedAt = readClocks();
    if (await leases.renew(lease, ttl)) {
      heldFrom = requestedAt;
      return;
    }
    heldFrom = undefined;
    log.warn({ role }, 'another process took this role over; it has stopped here');
    await stopWork();
  };

  const turn = async () => {
    if (held !== undefined) await renew(held.lease);
    else if (!stopping) await take();
    return held === undefined ? ttl / 8 : ttl / 4;
  };
  let isFailing = false;
  const onError = (error: unknown) => {
    isUnreachable = true;
    if (!isFailing) log.error({ err: error, role }, 'could not take or renew a role; retrying');
    isFailing = true;
  };
  const tryTurn = async () => {
    const pause = await turn();
    if (isFailing) log.info({ role }, 'the role could be taken or renewed again');
    isFailing = false;
    return pause;
  };
  await tryTurn().catch((error: unknown) => {
    if (error instanceof ConfigError) throw error;
    onError(error);
  });
  const loop = startLoop(
    () =>
      tryTurn().catch((error: unknown) => {
        onError(error);
        return second;
      }),
    { wall, onError },
  );
  return {
    async stop() {
      stopping = true;
      const lease = held?.lease;
      // The lease is renewed until everything started under it has ended, so that no other process starts it meanwhile.
      await stopWork();
      await loop.stop();
      await stopWork();
      if (lease !== undefined) await leases.release(lease).catch(onError);
    },
  };
}
