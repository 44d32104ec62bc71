import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { login } from '../../contract/index.ts';
import type { Clock } from '../../runtime/clock.ts';
import { recognise } from '../../runtime/credential.ts';
import { InputError } from '../../runtime/errors.ts';
import { formatDuration, second } from '../../runtime/units.ts';
import type { AccessCheck, Authenticate } from '../access/access.ts';
import { keysWithUse, makeKey } from '../access/keys.ts';
import { clientOf, type RequestLimits } from '../access/limit.ts';
import type { Login } from '../access/login.ts';
import type { AccessStore } from '../access/store.ts';
import { type AccountNotice, accountHtml, signInHtml, style } from './account-html.ts';
import { sendError } from './failure.ts';
import { refusalOf } from './login.ts';

/** The page of the account area. It needs no script: every action is a form. */
export const accountPath = '/account';

export interface Accounts extends Pick<AccessCheck, 'forget'> {
  readonly store: Pick<AccessStore, 'endSession' | 'addKey' | 'keys' | 'revokeKey' | 'usage'>;
}

export interface AccountOptions {
  readonly accounts: Accounts;
  readonly access: Authenticate;
  readonly login: Login;
  readonly limits: RequestLimits;
  readonly wall: Clock;
}

const headers = {
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  // With `no-referrer`, browsers would say `Origin: null` when they send a form.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

/** `__Host-`: no other host of the domain can set it; browsers take the prefix only over TLS (RFC 6265bis 4.1.3.2). */
const cookieNames = ['__Host-tocsin-account', 'tocsin-account'] as const;

const cookie = (token: string, { secure, age }: { readonly secure: boolean; readonly age: number }) =>
  `${cookieNames[secure ? 0 : 1]}=${token}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;

function tokenIn({ cookie: sent = '' }: IncomingHttpHeaders): string | undefined {
  const cookies = new Map(sent.split(/; */).map((each) => each.split('=', 2) as [string, string]));
  return cookieNames.map((name) => cookies.get(name)).find((token) => token !== undefined);
}

/** Returns the session in the page's cookie as the header by which programs send one. */
export function accountCredential(given: IncomingHttpHeaders): IncomingHttpHeaders {
  const token = tokenIn(given);
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** Adds the page: sign in, keys made and shown once, revoked, and how much each is used. */
export function serveAccount(app: FastifyInstance, options: AccountOptions): void {
  app.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    scope.get(accountPath, (request, reply) => show(request, { reply, options }));
    scope.post(accountPath, async (request, reply) => {
      reply.headers(headers);
      if (!isOwnForm(request)) return sendError(reply, 403, 'Forms of other sites are not taken');
      const { action = '', ...given } = (request.body ?? {}) as Readonly<Record<string, string>>;
      const act = actions[action];
      if (act === undefined) return sendError(reply, 400, 'Unknown action');
      return act(given, { request, reply, options });
    });
  });
}

/** Browsers say where a form comes from: by Sec-Fetch-Site over TLS and on loopback, and always by Origin. */
function isOwnForm({ headers: { origin, 'sec-fetch-site': site }, host }: FastifyRequest): boolean {
  if (site !== undefined && site !== 'same-origin') return false;
  return origin !== undefined && URL.parse(origin)?.host === URL.parse(`http://${host}`)?.host;
}

interface Visit {
  readonly reply: FastifyReply;
  readonly options: AccountOptions;
}

async function accountOf(request: FastifyRequest, { access }: AccountOptions): Promise<string | undefined> {
  const grant = await access(accountCredential(request.headers));
  return grant.kind === 'known' ? grant.account : undefined;
}

async function show(request: FastifyRequest, { reply, options }: Visit, notice?: AccountNotice) {
  const account = await accountOf(request, options);
  return account === undefined
    ? sendPage(reply, signInHtml(notice))
    : showKeys(account, { reply, options }, notice);
}

async function showKeys(account: string, { reply, options }: Visit, notice?: AccountNotice) {
  const { accounts, wall, limits } = options;
  const keys = await keysWithUse(accounts.store, { now: wall.now(), owner: account });
  const limit = `${limits.key} in ${formatDuration(limits.window)}`;
  return sendPage(reply, accountHtml({ account, keys, limit }, notice));
}

const sendPage = (reply: FastifyReply, html: string): FastifyReply =>
  reply.headers(headers).type('text/html; charset=utf-8').send(html);

type Action = (
  given: Readonly<Record<string, string>>,
  visit: Visit & { readonly request: FastifyRequest },
) => Promise<FastifyReply>;

const actions: Readonly<Record<string, Action>> = {
  async 'sign-in'(given, { request, reply, options }) {
    const parsed = login.body.safeParse(given);
    if (!parsed.success)
      return sendPage(reply.code(400), signInHtml({ problem: 'Give an email address and a password' }));
    const outcome = await options.login(parsed.data, clientOf(request.ip));
    if (outcome.kind !== 'granted') {
      const { status, error } = refusalOf(outcome, reply);
      return sendPage(reply.code(status), signInHtml({ problem: error }));
    }
    const age = Math.floor((outcome.expiresAt - options.wall.now()) / second);
    reply.header('set-cookie', cookie(outcome.token, { secure: request.protocol === 'https', age }));
    return reply.redirect(accountPath, 303);
  },

  async 'sign-out'(_given, { request, reply, options }) {
    const session = recognise('session', tokenIn(request.headers) ?? '');
    if (session !== null && (await accountOf(request, options)) !== undefined) {
      await options.accounts.store.endSession(session.id);
      options.accounts.forget();
    }
    reply.header(
      'set-cookie',
      [true, false].map((secure) => cookie('', { secure, age: 0 })),
    );
    return reply.redirect(accountPath, 303);
  },

  create: signedIn(async ({ name = '' }, { accounts, wall, account }) => {
    if (name.trim() === '') throw new InputError('Give the key a name: what it is for');
    const key = { name: name.trim(), owner: account, requestLimit: null };
    const { text } = await makeKey(accounts.store, key, wall.now());
    return { key: text };
  }),

  revoke: signedIn(async ({ id = '' }, { accounts, wall, account }) => {
    if (!(await accounts.store.revokeKey(id, { now: wall.now(), owner: account })))
      throw new InputError('You have no valid key with this id');
    accounts.forget();
    return { done: `Key ${id} is revoked` };
  }),
};

/** Returns the action of a person who is signed in; whoever is not is asked to sign in again. */
function signedIn(
  work: (
    given: Readonly<Record<string, string>>,
    options: AccountOptions & { readonly account: string },
  ) => Promise<AccountNotice>,
): Action {
  return async (given, { request, reply, options }) => {
    const account = await accountOf(request, options);
    if (account === undefined)
      return sendPage(reply.code(401), signInHtml({ problem: 'You are signed out: sign in again' }));
    try {
      return await showKeys(account, { reply, options }, await work(given, { ...options, account }));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return await showKeys(account, { reply: reply.code(400), options }, { problem: error.message });
    }
  };
}
