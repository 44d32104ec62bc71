import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Ports } from '../ports.ts';

/** Bytes. Alertmanager sends a group of some hundred alerts as one body. */
const maxBody = 256 * 1_024;

export const hookRoutes = ['/hooks/:id', '/hooks/:id/:secret'];

interface HookRoute {
  Params: { id: string; secret?: string };
  Body: Uint8Array | undefined;
}

/** Receives signals from other programs. A hook has its own secret, so the page's token is not required. */
export function serveHooks(app: FastifyInstance, { receiveHook }: Pick<Ports, 'receiveHook'>): void {
  const answer = async (request: FastifyRequest<HookRoute>, reply: FastifyReply) => {
    const { id, secret } = request.params;
    const { status, body, retryAfter } = await receiveHook({
      id,
      secret,
      headers: request.headers,
      body: request.body ?? new Uint8Array(),
    });
    if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
    return reply.code(status).header('cache-control', 'no-store').send(body);
  };
  app.register(async (own) => {
    own.removeAllContentTypeParsers();
    // Signatures are checked over the exact bytes of the body.
    own.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: maxBody },
      // biome-ignore lint/complexity/useMaxParams: the shape is Fastify’s
      (_request, body, done) => done(null, body),
    );
    for (const route of hookRoutes) own.post<HookRoute>(route, { bodyLimit: maxBody }, answer);
  });
}
