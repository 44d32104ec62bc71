import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../../shell/command.ts';
import { onlooker, type Rights } from '../../shell/rights.ts';
import { type ApiKeys, type Scope, scopes } from '../api.ts';
import type { Access } from './access.ts';
import { callerIn } from './caller.ts';

/** A program that asks, and what it may; undefined: nobody that is let in. */
export type Admit = (headers: IncomingHttpHeaders) => Promise<Caller | undefined>;

/**
 * By a key, who is of one place and paced by itself; else by what opens the page, which lets read and ask in the page's
 * own room. To change anything takes a key, so that no program does who was only let in.
 */
export const createAdmit =
  ({ keys, access }: { readonly keys: ApiKeys; readonly access: Pick<Access, 'roleOf'> }): Admit =>
  async (headers) => {
    const page = callerIn('main', { headers });
    const key = keyIn(headers);
    if (key === undefined) return access.roleOf(headers) && { ...page, user: 'agent', rights: onlooker };
    const holder = await keys.holder(key);
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

/** Who may manage a place may change what is their own there. */
const rightsBy = (given: ReadonlySet<string>): Rights =>
  new Set(
    scopes
      .filter((scope) => given.has(scope))
      .flatMap((scope) => (scope === 'manage' ? ['own', scope] : [scope])),
  );

/** Says why, where the visitor may not; whoever was let in lacks the scope. */
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

/** As `X-API-Key`, or in the place of the page's token, which has not its form. */
function keyIn({ 'x-api-key': key, authorization = '' }: IncomingHttpHeaders): string | undefined {
  return key === undefined ? /^bearer +(tocsinbot_\S+)$/i.exec(authorization)?.[1] : String(key);
}
