import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '../../runtime/secret.ts';
import { day, second } from '../../runtime/units.ts';

/** The role of a user of the console: an operator may do everything, a viewer may look and ask but change nothing. */
export type Role = 'operator' | 'viewer';

/** Access to the console: everyone who can reach it, or, if tokens are configured, everyone who has one. */
export interface Access {
  /** True if no token is required. */
  readonly isOpen: boolean;
  /**
   * Returns the role that `Authorization: Bearer TOKEN` or the cookie of `startSession` gives; undefined if there is no
   * access.
   */
  roleOf(headers: IncomingHttpHeaders): Role | undefined;
  /** Returns what the sender was given to be recognised by, its token or its session; undefined if no token is required. */
  sessionOf(headers: IncomingHttpHeaders): string | undefined;
  /**
   * Returns the session cookie (Set-Cookie) for a token; undefined if the token is wrong.
   * @param secure whether the page is reached over TLS; the cookie is then sent over TLS only
   */
  startSession(token: string, secure: boolean): string | undefined;
  /** Set-Cookie headers that end the session. */
  readonly endSessionCookies: readonly string[];
}

/**
 * Over TLS, no other host of the same domain can set a cookie with the prefix `__Host-` (RFC 6265bis 4.1.3.2); without
 * TLS, browsers refuse it.
 */
const cookieNames = { secure: '__Host-tocsin', plain: 'tocsin' } as const;
/** How long a session lasts, ms. */
const sessionLifetime = 30 * day;

/** @param given `age` in seconds. Strict: links and forms of other sites do not send the cookie; Lax: links do */
export const attributes = ({
  secure,
  age,
  sameSite = 'Strict',
}: {
  readonly secure: boolean;
  readonly age: number;
  readonly sameSite?: 'Strict' | 'Lax';
}): string => `Path=/; Max-Age=${age}; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`;

/**
 * Creates the access check.
 * @param now wall ms
 */
export function createAccess(
  { token, viewerToken }: { readonly token: Secret | null; readonly viewerToken: Secret | null },
  now: () => number,
): Access {
  const endSessionCookies = [
    `${cookieNames.plain}=; ${attributes({ secure: false, age: 0 })}`,
    `${cookieNames.secure}=; ${attributes({ secure: true, age: 0 })}`,
  ];
  if (token === null)
    return {
      isOpen: true,
      roleOf: () => 'operator',
      sessionOf: () => undefined,
      startSession: () => undefined,
      endSessionCookies,
    };
  const tokens = [
    { role: 'operator' as const, token },
    ...(viewerToken === null ? [] : [{ role: 'viewer' as const, token: viewerToken }]),
  ];
  const matchingToken = (given: string) => tokens.find((each) => isSameText(given, each.token.reveal()));
  // A session is derived from the token: nothing is stored, it remains valid after a restart, and it is void once the
  // token changes.
  const sessionOf = (each: (typeof tokens)[number], until: number) =>
    `${until}.${digest(each.token.reveal(), `console session of a ${each.role} until ${until}`)}`;
  const roleOfSession = (session: string): Role | undefined => {
    const until = Number(/^\d{1,12}(?=\.)/.exec(session)?.[0] ?? 0);
    if (until * second <= now()) return undefined;
    return tokens.find((each) => isSameText(session, sessionOf(each, until)))?.role;
  };
  return {
    isOpen: false,
    roleOf(headers) {
      const bearer = bearerIn(headers);
      if (bearer !== undefined) return matchingToken(bearer)?.role;
      const session = sessionIn(headers);
      return session === undefined ? undefined : roleOfSession(session);
    },
    sessionOf: (headers) => bearerIn(headers) ?? sessionIn(headers),
    startSession(given, secure) {
      const known = matchingToken(given);
      if (known === undefined) return undefined;
      const session = sessionOf(known, Math.floor((now() + sessionLifetime) / second));
      return `${secure ? cookieNames.secure : cookieNames.plain}=${session}; ${attributes({ secure, age: sessionLifetime / second })}`;
    },
    endSessionCookies,
  };
}

/** Returns the token or key of `Authorization: Bearer`. */
export const bearerIn = ({ authorization = '' }: IncomingHttpHeaders): string | undefined =>
  /^bearer +(\S+)$/i.exec(authorization)?.[1];

const sessionIn = (headers: IncomingHttpHeaders): string | undefined =>
  cookieIn(headers, cookieNames.secure) ?? cookieIn(headers, cookieNames.plain);

/** Returns the value of a cookie; of several with its name, the last. */
export const cookieIn = ({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined =>
  cookie
    .split(/; */)
    .findLast((each) => each.startsWith(`${name}=`))
    ?.slice(name.length + 1);

export const digest = (key: string, text: string): string =>
  createHmac('sha256', key).update(text).digest('hex');

/** Compares two texts in a time that does not depend on how much of them is equal. */
export const isSameText = (given: string, expected: string): boolean =>
  timingSafeEqual(Buffer.from(digest(given, 'compared')), Buffer.from(digest(expected, 'compared')));
