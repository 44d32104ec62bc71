import type { Clock } from '../../runtime/clock.ts';
import { createCredential } from '../../runtime/credential.ts';
import { day, minute, second } from '../../runtime/units.ts';
import { createLimiter } from '../http/limit.ts';
import type { Passwords } from './password.ts';
import type { AccessStore } from './store.ts';

/** What the interface gives a session token, wall ms. */
export const sessionLifetime = 1 * day;

/**
 * In any window, of one client address: wrong passwords of one account, there or not; logins, right or wrong. Nothing
 * is counted over all addresses, or whoever guesses could lock the owner out. What bounds guesses from very many
 * addresses is the length of passwords and that one is checked at a time.
 */
const lockOut = { window: 15 * minute, perAccount: 5, perClient: 30 } as const;
/** Logins that may wait for their turn: each takes a core for some 40 ms and 19 MiB. */
const longestQueue = 16;

export type LoginOutcome =
  | { readonly kind: 'granted'; readonly token: string; readonly expiresAt: number }
  | { readonly kind: 'refused' }
  /** Too many failures, or too many at once: ask again after `wait` ms. */
  | { readonly kind: 'locked' | 'busy'; readonly wait: number };

export type Login = (
  given: { readonly email: string; readonly password: string },
  /** Whose address it came from, as limits count clients. */
  client: string,
) => Promise<LoginOutcome>;

/**
 * Checks a password and opens a session. An account that is not there takes as long, is told the same and is locked
 * after as many failures as one that is, so that nobody learns who has one. A lock is for the address that failed, not
 * for the account. Failures are kept in memory.
 * @param wall what sessions expire by
 * @param steady wall ms that never jump: what failures are counted by
 */
export function createLogin({
  store,
  passwords,
  wall,
  steady,
}: {
  readonly store: Pick<AccessStore, 'passwordOf' | 'addSession'>;
  readonly passwords: Pick<Passwords, 'verify'>;
  readonly wall: Clock;
  readonly steady: Clock;
}): Login {
  const attempts = createLimiter(lockOut.window);
  let queued = 0;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    queued += 1;
    const mine = last.then(work).finally(() => {
      queued -= 1;
    });
    last = mine.catch(() => {});
    return mine;
  };

  return async ({ email: written, password }, client) => {
    const email = accountName(written);
    if (queued >= longestQueue) return { kind: 'busy', wait: 1 * second };
    // Counted before it is known to be wrong: guesses sent all at once are no more than one after the other.
    const now = steady.now();
    const guesses = `account ${email} from ${client}`;
    const wait =
      attempts.take(`client ${client}`, { max: lockOut.perClient, now }) ||
      attempts.take(guesses, { max: lockOut.perAccount, now });
    if (wait > 0) return { kind: 'locked', wait };
    const right = await inTurn(async () => passwords.verify(await store.passwordOf(email), password));
    if (!right) return { kind: 'refused' };
    attempts.forget(guesses);
    const { text, id, digest } = createCredential('session');
    const expiresAt = wall.now() + sessionLifetime;
    await store.addSession({ id, digest, email, expiresAt }, wall.now());
    return { kind: 'granted', token: text, expiresAt };
  };
}

/** One account, however its address is written. */
export const accountName = (email: string): string => email.trim().toLowerCase();
