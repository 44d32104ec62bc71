import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '../../runtime/secret.ts';

/** Who may use the console: whoever reaches it, or, where there is a token, whoever has it. */
export interface Access {
  /** By `Authorization: Bearer TOKEN`, or by the cookie that `enter` gave. */
  admits(headers: IncomingHttpHeaders): boolean;
  /**
   * The cookie (Set-Cookie) for whoever gives the token; undefined: it is another.
   * @param secure whether the page is reached over TLS, so that the cookie never travels without
   */
  enter(token: string, secure: boolean): string | undefined;
}

const cookie = 'tocsin';
/** Seconds. */
const month = 30 * 24 * 3_600;

export function createAccess(token: Secret | null): Access {
  if (token === null) return { admits: () => true, enter: () => undefined };
  // Follows from the token: nothing to keep, valid after a restart, void once the token is another.
  const session = digest(token.reveal(), 'console session');
  const same = (given: string, expected: string): boolean =>
    timingSafeEqual(Buffer.from(digest(given, 'compared')), Buffer.from(digest(expected, 'compared')));
  return {
    admits({ authorization = '', cookie: cookies = '' }) {
      const bearer = /^bearer +(\S+)$/i.exec(authorization)?.[1];
      if (bearer !== undefined) return same(bearer, token.reveal());
      const given = cookies.split(/; */).find((each) => each.startsWith(`${cookie}=`));
      return given !== undefined && same(given.slice(cookie.length + 1), session);
    },
    enter: (given, secure) =>
      same(given, token.reveal())
        ? // Strict: no other site's link or form brings it along.
          `${cookie}=${session}; Path=/; Max-Age=${month}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
        : undefined,
  };
}

const digest = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex');
