import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../../shell/command.ts';
import type { ApiKeys, Scope } from '../api.ts';
import type { Access } from './access.ts';
import { callerIn } from './caller.ts';

/** A program that asks: who it is here, and what it may. */
export interface Visitor {
  readonly caller: Caller;
  may(scope: Scope): boolean;
}

/** Undefined: nobody that is let in. */
export type Admit = (headers: IncomingHttpHeaders) => Promise<Visitor | undefined>;

/**
 * By a key, who is of one place and paced by itself; else by what opens the page, which lets read and ask in the page's
 * own room. To change anything takes a key, so that no program does who was only let in.
 */
export const createAdmit =
  ({ keys, access }: { readonly keys: ApiKeys; readonly access: Pick<Access, 'roleOf'> }): Admit =>
  async (headers) => {
    const page = callerIn('main', { headers });
    const key = keyIn(headers);
    if (key === undefined)
      return access.roleOf(headers) !== undefined
        ? { caller: { ...page, user: 'agent', manages: false }, may: (scope) => scope !== 'manage' }
        : undefined;
    const holder = await keys.holder(key);
    if (holder === undefined) return undefined;
    const { id, name, receiver, scopes } = holder;
    const caller: Caller = {
      ...page,
      receiver,
      user: name || `key ${id}`,
      person: `key:${id}`,
      manages: scopes.has('manage'),
      answeredElsewhere: true,
    };
    return { caller, may: (scope) => scopes.has(scope) };
  };

export function refuse(
  reply: FastifyReply,
  { visitor, scope }: { readonly visitor: Visitor | undefined; readonly scope: Scope },
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
