import type { FastifyRequest } from 'fastify';
import { UserError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import type { Caller } from '../../shell/command.ts';
import type { Access } from './access.ts';
import { callerIn, pageQuery } from './caller.ts';

/** Returns the caller of a request that only the operator may make. Throws UserError for anybody else. */
export type OperatorOf = (request: Pick<FastifyRequest, 'query' | 'headers'>) => Caller;

export const createOperatorOf =
  (access: Pick<Access, 'roleOf'>): OperatorOf =>
  ({ query, headers }) => {
    if (access.roleOf(headers) !== 'operator')
      throw new UserError(msg('This is for the operator: sign in with the operator’s token.'), {
        code: 'forbidden',
      });
    const { room, timeZone } = pageQuery.parse(query);
    return callerIn(room, { headers, timeZone });
  };
