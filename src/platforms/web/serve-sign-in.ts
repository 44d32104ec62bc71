import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { UserError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import type { WallClock } from '../../runtime/clock.ts';
import type { Secret } from '../../runtime/secret.ts';
import { minute, second } from '../../runtime/units.ts';
import { attributes, cookieIn, digest, isSameText } from './access.ts';
import type { Guesses } from './guesses.ts';
import type { MemberAccess } from './members.ts';

/** How long a sign-in may take, wall ms. */
const signInTime = 10 * minute;

const named = z.object({ platform: z.string().max(40) });
const text = z.string().max(8_192).default('');
/** Empty: somebody begins. Otherwise what the browser came back with, or what the app gave that shows the page. */
const body = z.object({ query: text, fragment: text, app: text });

interface SignInOptions {
  readonly members: MemberAccess;
  readonly guesses: Guesses;
  /** The page's public address. */
  readonly url: string | null;
  readonly token: Secret | null;
  readonly wall: Pick<WallClock, 'now'>;
}

/** Serves the sign-in of members by a platform, and their places. */
export function serveSignIn(app: FastifyInstance, options: SignInOptions): void {
  const { members, guesses } = options;
  const { start, finish } = createSignIns(options);
  app.get('/api/places', async ({ headers }) => {
    const session = await members.sessionOf(headers);
    return session === undefined ? [] : members.placesOf(session);
  });
  app.post('/api/sign-in/:platform', async ({ params, body: given, headers, ip }, reply) => {
    const { platform } = named.parse(params);
    const way = members.ways().find((each) => each.platform === platform);
    if (way === undefined) throw new UserError(msg('Nobody signs in by that.'), { code: 'unknown' });
    const { signIn } = way;
    const { app: inApp, ...back } = body.parse(given);
    if (inApp === '' && back.query === '' && back.fragment === '') {
      const { state, returnTo, cookie } = start(platform);
      const url = await signIn.start({ returnTo, state });
      return reply.header('set-cookie', cookie).send({ url });
    }
    const attempt = guesses.begin(ip, JSON.stringify(given));
    const returned = inApp === '' ? finish(platform, { ...back, headers }) : undefined;
    const proven = inApp === '' ? returned && (await signIn.finish(returned)) : signIn.inApp?.(inApp);
    const cookies = await members.begin(platform, { proven, headers });
    if (cookies === undefined)
      throw new UserError(msg('This does not sign you in any more: begin again.'), { code: 'forbidden' });
    attempt.succeed();
    return reply.header('set-cookie', [...cookies, ...(returned?.cookies ?? [])]).send({});
  });
}

/**
 * Binds a sign-in to the browser that began it, by a state that it has in a cookie, too. The state names its platform, so that what
 * one platform sent is not taken for another's.
 */
function createSignIns({ url, token, wall }: Pick<SignInOptions, 'url' | 'token' | 'wall'>) {
  const secure = url?.startsWith('https:') === true;
  const cookieName = secure ? '__Host-tocsin-sign-in' : 'tocsin-sign-in';
  const cookie = (state: string, age: number) => `${cookieName}=${state}; ${attributes({ secure, age })}`;
  const returnTo = (platform: string) => `${url}/sign-in/${platform}`;
  const signed = (platform: string, nonce: string) =>
    `${nonce}.${digest(token?.reveal() ?? '', `sign-in by ${platform}: ${nonce}`)}`;
  return {
    start(platform: string) {
      const state = signed(platform, `${wall.now() + signInTime}-${randomBytes(16).toString('hex')}`);
      return { state, returnTo: returnTo(platform), cookie: cookie(state, signInTime / second) };
    },
    /** Returns what the browser came back with, without the state. Undefined if this browser did not begin it, or long ago. */
    finish(
      platform: string,
      given: { readonly query: string; readonly fragment: string; readonly headers: IncomingHttpHeaders },
    ) {
      const query = new URLSearchParams(given.query);
      const [state = '', ...others] = query.getAll('state');
      query.delete('state');
      const [nonce = ''] = state.split('.');
      const isOurs = isSameText(state, signed(platform, nonce));
      const isMine = isSameText(state, cookieIn(given.headers, cookieName) ?? '');
      if (others.length > 0 || !isOurs || !isMine || Number(nonce.split('-')[0]) <= wall.now())
        return undefined;
      const { fragment } = given;
      return { query: String(query), fragment, returnTo: returnTo(platform), cookies: [cookie('', 0)] };
    },
  };
}
