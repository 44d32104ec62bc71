import type { FastifyReply, FastifyRequest } from 'fastify';
import { login } from '../../contract/index.ts';
import { formatDuration, iso, second } from '../../runtime/units.ts';
import { clientOf } from '../access/limit.ts';
import type { Login, LoginOutcome } from '../access/login.ts';
import { sendError } from './failure.ts';

/** Returns the handler of the login's route. */
export const answerLogin = (open: Login) => async (request: FastifyRequest, reply: FastifyReply) => {
  reply.header('cache-control', 'no-store');
  const given = login.body.safeParse(request.body);
  if (!given.success) return sendError(reply, 400, 'Expected: {"email": "…", "password": "…"}');

  const outcome = await open(given.data, clientOf(request.ip));
  if (outcome.kind === 'granted')
    return reply.send({ token: outcome.token, expiresAt: iso(outcome.expiresAt) });
  const { status, error } = refusalOf(outcome, reply);
  return sendError(reply, status, error);
};

/** Says why nobody is logged in, and sets Retry-After. A refusal is the same whether the account exists or not. */
export function refusalOf(
  outcome: Exclude<LoginOutcome, { readonly kind: 'granted' }>,
  reply: FastifyReply,
): { readonly status: number; readonly error: string } {
  if (outcome.kind === 'refused') return { status: 401, error: 'Wrong email or password' };
  reply.header('retry-after', Math.ceil(outcome.wait / second));
  return outcome.kind === 'locked'
    ? { status: 429, error: `Too many failed logins: try again in ${formatDuration(outcome.wait)}` }
    : { status: 503, error: 'Too many logins at once: try again in a moment' };
}
