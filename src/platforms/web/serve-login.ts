import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Access } from './access.ts';
import type { Guesses } from './guesses.ts';
import type { MemberAccess } from './members.ts';

const loginBody = z.object({ token: z.string().max(1_000) });

/** Serves the log-in by a token, and the log-out. */
export function serveLogin(
  app: FastifyInstance,
  {
    access,
    guesses,
    members,
  }: { readonly access: Access; readonly guesses: Guesses; readonly members: Pick<MemberAccess, 'leave'> },
): void {
  app.post('/api/login', (request, reply) => {
    const { token } = loginBody.parse(request.body);
    const attempt = guesses.begin(request.ip, token);
    const cookie = access.startSession(token, request.headers.origin?.startsWith('https:') === true);
    if (cookie === undefined) return reply.code(401).send({ error: 'this is not the token' });
    attempt.succeed();
    return reply.header('set-cookie', cookie).send({});
  });
  app.post('/api/logout', async ({ headers }, reply) =>
    reply.header('set-cookie', [...access.endSessionCookies, ...(await members.leave(headers))]).send({}),
  );
}
