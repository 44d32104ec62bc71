import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Failure } from '../../card/card.ts';
import { UserError } from '../../language/errors.ts';
import { acceptedLanguage } from '../../language/languages.ts';
import { plainReader, say } from '../../language/say.ts';
import { msg } from '../../language/text.ts';
import { DatabaseAway, DatabaseLost } from '../../runtime/errors.ts';
import { minute, second } from '../../runtime/units.ts';
import { failureOf } from '../../shell/failure.ts';
import { type Access, bearerIn } from './access.ts';
import { Unrecognised } from './caller.ts';
import { type Guesses, TooOften } from './guesses.ts';
import type { MemberAccess } from './members.ts';
import { type Admitted, admittedTo } from './routes.ts';
import { isKey } from './visitor.ts';

/** Forbids inline scripts and styles and content from other origins; text never becomes mark-up (trusted types). */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "manifest-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The one policy names the page's service worker (src/web/push.ts).
  'trusted-types service-worker',
].join('; ');

export const securityHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/**
 * Returns why a request is refused, or undefined if it may pass. DNS rebinding needs a host name of the attacker, so
 * only IP addresses, localhost and configured names are accepted as Host. A browser sends the origin of the page that
 * makes a request, so requests of other sites are recognised by their Origin.
 */
export function refusal(
  request: {
    readonly host: string | undefined;
    readonly origin: string | undefined;
    readonly fetchSite: string | undefined;
    /** Path of the request, decoded, without the query. */
    readonly path: string;
    /** The request changes something, and its cookie may have been added by a browser. */
    readonly writesByCookie: boolean;
  },
  hosts: readonly string[],
): string | undefined {
  const url = request.host === undefined ? null : URL.parse(`http://${request.host}`);
  if (url === null) return 'the Host header is missing or wrong';
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(name) === 0 && name !== 'localhost' && !hosts.includes(name)) {
    return `the console is not served under the name "${name}"; the operator can add it to http.hosts`;
  }
  // URL drops the default port on both sides, whichever scheme a proxy uses towards the client.
  const from = request.origin === undefined ? undefined : (URL.parse(request.origin)?.host ?? 'null');
  if (from !== undefined && from !== url.host && from !== request.host?.toLowerCase()) {
    return 'requests from other sites are not taken';
  }
  // Browsers send Origin with every request that writes: one without it does not come from the page.
  if (request.writesByCookie && from === undefined && request.fetchSite !== 'same-origin')
    return 'with a cookie, say by Origin where the request comes from; scripts send Authorization: Bearer';
  const foreign = request.fetchSite === 'cross-site' || request.fetchSite === 'same-site';
  if (foreign && /^\/(api\/|mcp$)/.test(request.path)) return 'requests from other sites are not taken';
  return undefined;
}

/** The status of an answer to a program, by why nothing was done. */
const statusOf: Readonly<Record<Failure['code'], number>> = {
  invalid: 400,
  forbidden: 403,
  unknown: 404,
  conflict: 409,
  limit: 409,
  unready: 503,
  unavailable: 503,
  defect: 500,
};

const unavailableText = (error: Error): string =>
  error instanceof DatabaseLost
    ? error.message
    : error instanceof DatabaseAway
      ? 'the database does not answer: ask again, and look first whether a change was saved'
      : 'the data is not to be had right now';

interface ProtectOptions {
  readonly hosts: readonly string[];
  readonly log: { error(context: object, message: string): void };
  readonly roleOf: Access['roleOf'];
  readonly sessionOf: MemberAccess['sessionOf'];
  /** Undefined: there is no token to guess. */
  readonly guesses: Guesses | undefined;
}

/** Refuses what may not come in, and says to programs why nothing was done. */
export function protect(
  app: FastifyInstance,
  { hosts, log, roleOf, sessionOf, guesses }: ProtectOptions,
): void {
  app.addHook('onRoute', ({ url }) => {
    if (admittedTo(url) === undefined) throw new Error(`routes.ts does not say who may call ${url}`);
  });
  /** @throws what refuses the request: UserError, Unrecognised or TooOften */
  const admit = async (admitted: Admitted | undefined, { headers, ip }: FastifyRequest) => {
    if (admitted === 'anyone') return;
    const token = bearerIn(headers);
    // A key of the API is looked at where programs are admitted.
    const attempt = token === undefined || isKey(token) ? undefined : guesses?.begin(ip, token);
    const role = roleOf(headers);
    if (role !== undefined) attempt?.succeed();
    if (admitted === 'known') return;
    if (role === undefined && (await sessionOf(headers)) === undefined) throw new Unrecognised();
    const isEnough =
      admitted === 'operator' ? role === 'operator' : admitted !== 'viewer' || role !== undefined;
    if (!isEnough)
      throw new UserError(msg('This is for the operator: sign in with the operator’s token.'), {
        code: 'forbidden',
      });
  };
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(securityHeaders);
    // The path of the route, not of the URL: `/%61pi/status` is the same route.
    const path = request.routeOptions.url ?? '';
    const { host, origin, 'sec-fetch-site': fetchSite } = request.headers;
    const site = typeof fetchSite === 'string' ? fetchSite : undefined;
    const { method, headers } = request;
    const writesByCookie =
      method !== 'GET' && method !== 'HEAD' && headers.cookie !== undefined && !headers.authorization;
    const reason = refusal({ host, origin, fetchSite: site, path, writesByCookie }, hosts);
    if (reason !== undefined) return reply.code(403).send({ error: reason });
    if (path.startsWith('/api/')) reply.header('cache-control', 'no-store');
    await admit(admittedTo(path), request);
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ error: 'there is nothing at this address' }),
  );
  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    if (error instanceof z.ZodError) return reply.code(400).send({ error: z.prettifyError(error) });
    if (error instanceof TooOften) reply.header('retry-after', error.retryAfter);
    const { code: failure, retryAfter = minute } = failureOf(error);
    const code = error.statusCode ?? statusOf[failure];
    if (code === 503) reply.header('retry-after', Math.ceil(retryAfter / second));
    if (error instanceof UserError) {
      const language = acceptedLanguage(request.headers['accept-language']);
      return reply.code(code).send({ error: say(error.text, { ...plainReader, language }) });
    }
    const logged = () => log.error({ err: error, request: request.id }, 'a console request failed');
    if (error instanceof DatabaseAway) logged();
    if (code === 503) return reply.code(code).send({ error: unavailableText(error) });
    if (code < 500) return reply.code(code).send({ error: error.message });
    logged();
    return reply.code(500).send({ error: `this failed on our side; the log has it under ${request.id}` });
  });
}
