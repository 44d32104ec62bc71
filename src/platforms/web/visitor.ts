import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../../shell/command.ts';
import { type Rights, viewerRights } from '../../shell/rights.ts';
import { type ApiKeys, type Scope, scopes } from '../api.ts';
import type { Access } from './access.ts';
import { callerIn } from './caller.ts';

/** Returns the program that sent a request, with its rights; undefined if it is not admitted. */
export type Admit = (headers: IncomingHttpHeaders) => Promise<Caller | undefined>;

/**
 * Admits programs. A key stands for one place and has its own rate limit. Without a key, whatever opens the page (its
 * token or cookie) gives the right to read and ask in the page's room. Changes require a key, so that a program that
 * was only given access to the page cannot make any.
 */
export const createAdmit =
  ({ keys, access }: { readonly keys: ApiKeys; readonly access: Pick<Access, 'roleOf'> }): Admit =>
  async (headers) => {
    const page = callerIn('main', { headers });
    const key = keyIn(headers);
    if (key === undefined) return access.roleOf(headers) && { ...page, user: 'agent', rights: viewerRights };
    const holder = await keys.findHolder(key);
    if (holder === undefined) return undefined;
    const { id, name, receiver, scopes } = holder;
    return {
      ...page,
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

/** Returns the key: from `X-API-Key`, or from the Authorization header, where the page's token has another form. */
function keyIn({ 'x-api-key': key, authorization = '' }: IncomingHttpHeaders): string | undefined {
  return key === undefined ? /^bearer +(tocsinbot_\S+)$/i.exec(authorization)?.[1] : String(key);
}
