import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { WebPorts } from './ports.ts';
import { hookRoutes } from './routes.ts';

/** Bytes. Alertmanager sends a group of some hundred alerts as one body, of about a kilobyte each. */
const maxBody = 1_024 * 1_024;

interface HookRoute {
  Params: { id: string; secret?: string };
  Body: Uint8Array | undefined;
}

/** Receives signals from other programs. A hook has its own secret, so the page's token is not required. */
export function serveHooks(app: FastifyInstance, { receiveHook }: Pick<WebPorts, 'receiveHook'>): void {
  const answer = async (
    { params: { id, secret }, headers }: FastifyRequest<HookRoute>,
    { reply, body: given }: { readonly reply: FastifyReply; readonly body: Uint8Array | undefined },
  ) => {
    const { status, body, retryAfter } = await receiveHook({ id, secret, headers, body: given });
    if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
    return reply.code(status).header('cache-control', 'no-store').send(body);
  };
  app.register(async (own) => {
    own.removeAllContentTypeParsers();
    // Signatures are checked over the exact bytes of the body.
    own.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBody }, (_request, body, done) =>
      done(null, body),
    );
    own.setErrorHandler((error: FastifyError, request: FastifyRequest<HookRoute>, reply) => {
      if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error;
      return answer(request, { reply, body: undefined });
    });
    for (const route of hookRoutes)
      own.post<HookRoute>(route, { bodyLimit: maxBody }, (request, reply) =>
        answer(request, { reply, body: request.body ?? new Uint8Array() }),
      );
  });
}
