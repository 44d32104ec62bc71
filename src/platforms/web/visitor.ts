import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../../shell/command.ts';
import { type Rights, viewerRights } from '../../shell/rights.ts';
import { type Access, bearerIn } from './access.ts';
import { languageIn, webReceiver } from './caller.ts';
import type { Guesses } from './guesses.ts';
import { type ApiKeys, type Scope, scopes } from './ports/api.ts';

/** Returns the program that sent a request from `ip`, with its rights; undefined if it is not admitted. */
export type Admit = (request: {
  readonly headers: IncomingHttpHeaders;
  readonly ip: string;
}) => Promise<Caller | undefined>;

/**
 * Admits programs. A key stands for one place and has its own rate limit. Without a key, whatever opens the page (its
 * token or cookie) gives the right to read and ask in the page's room. Changes require a key, so that a program that
 * was only given access to the page cannot make any.
 */
export const createAdmit =
  ({
    keys,
    access,
    guesses,
  }: {
    readonly keys: ApiKeys;
    readonly access: Pick<Access, 'roleOf'>;
    readonly guesses: Guesses;
  }): Admit =>
  async ({ headers, ip }) => {
    const reading = { language: languageIn(headers), timeZone: 'UTC' };
    const key = keyIn(headers);
    if (key === undefined)
      return (
        access.roleOf(headers) && {
          ...reading,
          receiver: webReceiver('main'),
          user: 'agent',
          rights: viewerRights,
        }
      );
    const attempt = guesses.begin(ip, key);
    const holder = await keys.findHolder(key);
    if (holder === undefined) return undefined;
    attempt.succeed();
    const { id, name, receiver, scopes } = holder;
    return {
      ...reading,
      receiver,
      user: name || `key ${id}`,
      person: `key:${id}`,
      rights: rightsBy(scopes),
      answeredElsewhere: true,
    };
  };

/**
 * Returns the rights of a key's scopes. A key that may manage its place may also use the commands that change only what
 * is its own there.
 */
const rightsBy = (given: ReadonlySet<string>): Rights =>
  new Set(
    scopes
      .filter((scope) => given.has(scope))
      .flatMap((scope) => (scope === 'manage' ? ['own', scope] : [scope])),
  );

/** Refuses a visitor and says why. A visitor that was admitted lacks the scope. */
export function refuse(
  reply: FastifyReply,
  { visitor, scope }: { readonly visitor: Caller | undefined; readonly scope: Scope },
): FastifyReply {
  if (visitor !== undefined)
    return reply.code(403).send({ error: `this takes a key with the scope "${scope}"` });
  reply.header('www-authenticate', 'Bearer');
  return reply.code(401).send({
    error: 'give a key that is valid, as X-API-Key or Authorization: Bearer (npm start -- key create)',
  });
}

/** Whether a bearer token has the form of a key of the API; the page's token has another. */
export const isKey = (bearer: string): boolean => bearer.startsWith('tocsinbot_');

/** Returns the key, from `X-API-Key` or the Authorization header. */
function keyIn(headers: IncomingHttpHeaders): string | undefined {
  const given = headers['x-api-key'];
  if (given !== undefined) return String(given);
  const bearer = bearerIn(headers);
  return bearer !== undefined && isKey(bearer) ? bearer : undefined;
}
