import type { FastifyReply, FastifyRequest } from 'fastify';
import { login } from '../../contract/index.ts';
import { formatDuration, iso, second } from '../../runtime/units.ts';
import { clientOf } from '../access/limit.ts';
import type { Login } from '../access/login.ts';
import { sendError } from './failure.ts';

/** Returns the handler of the login's route. A refusal is the same whether the account exists or not. */
export const answerLogin = (open: Login) => async (request: FastifyRequest, reply: FastifyReply) => {
  reply.header('cache-control', 'no-store');
  const given = login.body.safeParse(request.body);
  if (!given.success) return sendError(reply, 400, 'Expected: {"email": "…", "password": "…"}');

  const outcome = await open(given.data, clientOf(request.ip));
  if (outcome.kind === 'refused') return sendError(reply, 401, 'Wrong email or password');
  if (outcome.kind === 'granted') {
    return reply.send({ token: outcome.token, expiresAt: iso(outcome.expiresAt) });
  }
  reply.header('retry-after', Math.ceil(outcome.wait / second));
  return outcome.kind === 'locked'
    ? sendError(reply, 429, `Too many failed logins: try again in ${formatDuration(outcome.wait)}`)
    : sendError(reply, 503, 'Too many logins at once: try again in a moment');
};
