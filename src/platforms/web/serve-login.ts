import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Access } from './access.ts';
import type { Guesses } from './guesses.ts';

const loginBody = z.object({ token: z.string().max(1_000) });

/** Serves the log-in and the log-out of the page. */
export function serveLogin(
  app: FastifyInstance,
  { access, guesses }: { readonly access: Access; readonly guesses: Guesses },
): void {
  app.post('/api/login', (request, reply) => {
    const { token } = loginBody.parse(request.body);
    const attempt = guesses.begin(request.ip, token);
    const cookie = access.startSession(token, request.headers.origin?.startsWith('https:') === true);
    if (cookie === undefined) return reply.code(401).send({ error: 'this is not the token' });
    attempt.succeed();
    return reply.header('set-cookie', cookie).send({});
  });
  app.post('/api/logout', (_request, reply) =>
    reply.header('set-cookie', [...access.endSessionCookies]).send({}),
  );
}
