import type { Clock } from '../../runtime/clock.ts';
import { createCredential } from '../../runtime/credential.ts';
import { day, minute, second } from '../../runtime/units.ts';
import { createLimiter } from './limit.ts';
import type { Passwords } from './password.ts';
import type { AccessStore } from './store.ts';

/** The lifetime that the interface gives a session token, wall ms. */
const sessionLifetime = 1 * day;

/**
 * Limits in any window, for one client address: wrong passwords for one account, whether it exists or not (`perAccount`),
 * and logins, right or wrong (`perClient`). Nothing is counted over all addresses, because an attacker could then lock the
 * owner out. Guesses from very many addresses are limited by the length of passwords and because one password is checked
 * at a time.
 */
const lockOut = { window: 15 * minute, perAccount: 5, perClient: 30 } as const;
/** The most logins that may wait for their turn: each takes some 40 ms of a core, and 19 MiB. */
const maxQueued = 16;

export type LoginOutcome =
  | { readonly kind: 'granted'; readonly token: string; readonly expiresAt: number }
  | { readonly kind: 'refused' }
  /** Too many failures, or too many logins at once: the client may try again after `wait` ms. */
  | { readonly kind: 'locked' | 'busy'; readonly wait: number };

export type Login = (
  given: { readonly email: string; readonly password: string },
  /** The client that the login came from, as limits count clients (`clientOf`). */
  client: string,
) => Promise<LoginOutcome>;

/**
 * Returns a function that checks a password and opens a session. A login for an account that does not exist takes as long,
 * gets the same response and is locked after as many failures, so that it does not reveal which accounts exist. A lock
 * applies to the address that failed, not to the account. Failures are kept in memory.
 * @param wall The clock by which sessions expire.
 * @param steady Wall ms that never jump, by which failures are counted.
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

  return async ({ email: givenEmail, password }, client) => {
    const email = accountName(givenEmail);
    if (queued >= maxQueued) return { kind: 'busy', wait: 1 * second };
    // The login counts before its password is checked, so that guesses sent at once are limited like successive ones.
    const now = steady.now();
    const attemptsKey = `account ${email} from ${client}`;
    const wait =
      attempts.take(`client ${client}`, { max: lockOut.perClient, now }) ||
      attempts.take(attemptsKey, { max: lockOut.perAccount, now });
    if (wait > 0) return { kind: 'locked', wait };
    const isCorrect = await inTurn(async () => passwords.verify(await store.passwordOf(email), password));
    if (!isCorrect) return { kind: 'refused' };
    attempts.forget(attemptsKey);
    const { text, id, digest } = createCredential('session');
    const expiresAt = wall.now() + sessionLifetime;
    await store.addSession({ id, digest, email, expiresAt }, wall.now());
    return { kind: 'granted', token: text, expiresAt };
  };
}

/** Returns the name of an account: the same for every spelling of its email address. */
export const accountName = (email: string): string => email.trim().toLowerCase();
