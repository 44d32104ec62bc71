import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '../../runtime/secret.ts';
import { day, second } from '../../runtime/units.ts';

/** What whoever uses the console may do: everything, or look and ask and change nothing. */
export type Role = 'operator' | 'viewer';

/** Who may use the console: whoever reaches it, or, where there are tokens, whoever has one. */
export interface Access {
  /** Nobody is asked for a token. */
  readonly open: boolean;
  /** By `Authorization: Bearer TOKEN`, or by the cookie that `enter` gave; undefined: not at all. */
  roleOf(headers: IncomingHttpHeaders): Role | undefined;
  /**
   * The cookie (Set-Cookie) for whoever gives a token; undefined: it is none.
   * @param secure whether the page is reached over TLS, so that the cookie never travels without
   */
  enter(token: string, secure: boolean): string | undefined;
  /** Set-Cookie for whoever leaves. */
  readonly leave: readonly string[];
}

/** Over TLS no other host of the same domain can set one of this name (RFC 6265bis 4.1.3.2); without, browsers refuse it. */
const names = { secure: '__Host-tocsin', plain: 'tocsin' } as const;
/** How long somebody stays, ms. */
const stay = 30 * day;

const attributes = (secure: boolean, age: number): string =>
  // Strict: no other site's link or form brings it along.
  `Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;

/** @param now wall ms */
export function createAccess(
  { token, viewerToken }: { readonly token: Secret | null; readonly viewerToken: Secret | null },
  now: () => number,
): Access {
  const leave = [`${names.plain}=; ${attributes(false, 0)}`, `${names.secure}=; ${attributes(true, 0)}`];
  if (token === null) return { open: true, roleOf: () => 'operator', enter: () => undefined, leave };
  const tokens = [
    { role: 'operator' as const, token },
    ...(viewerToken === null ? [] : [{ role: 'viewer' as const, token: viewerToken }]),
  ];
  const roleWith = (given: string) => tokens.find((each) => same(given, each.token.reveal()));
  // Follows from the token: nothing to keep, valid after a restart, void once the token is another.
  const sessionOf = (each: (typeof tokens)[number], until: number) =>
    `${until}.${digest(each.token.reveal(), `console session of a ${each.role} until ${until}`)}`;
  const roleIn = (session: string): Role | undefined => {
    const until = Number(/^\d{1,12}(?=\.)/.exec(session)?.[0] ?? 0);
    if (until * second <= now()) return undefined;
    return tokens.find((each) => same(session, sessionOf(each, until)))?.role;
  };
  return {
    open: false,
    roleOf({ authorization = '', cookie = '' }) {
      const bearer = /^bearer +(\S+)$/i.exec(authorization)?.[1];
      if (bearer !== undefined) return roleWith(bearer)?.role;
      const cookies = cookiesOf(cookie);
      const session = cookies.get(names.secure) ?? cookies.get(names.plain);
      return session === undefined ? undefined : roleIn(session);
    },
    enter(given, secure) {
      const entered = roleWith(given);
      if (entered === undefined) return undefined;
      const session = sessionOf(entered, Math.floor((now() + stay) / second));
      return `${secure ? names.secure : names.plain}=${session}; ${attributes(secure, stay / second)}`;
    },
    leave,
  };
}

const cookiesOf = (header: string): ReadonlyMap<string, string> =>
  new Map(
    header.split(/; */).flatMap((each) => {
      const at = each.indexOf('=');
      return at < 0 ? [] : [[each.slice(0, at), each.slice(at + 1)] as const];
    }),
  );

const digest = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex');

/** Takes as long whatever is alike in them. */
const same = (given: string, expected: string): boolean =>
  timingSafeEqual(Buffer.from(digest(given, 'compared')), Buffer.from(digest(expected, 'compared')));
