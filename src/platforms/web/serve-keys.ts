import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { keyDraft } from './ports/key-desk.ts';
import type { WebPorts } from './ports.ts';

const named = z.object({ id: z.string().regex(/^[0-9a-f]{12}$/) });

/** Serves the keys of the HTTP API to the operator: a key's text once, when it is created. */
export function serveKeys(app: FastifyInstance, { keyDesk }: Pick<WebPorts, 'keyDesk'>): void {
  app.get('/api/keys', () => keyDesk.list());
  app.post('/api/keys', async (request) => ({ key: await keyDesk.create(keyDraft.parse(request.body)) }));
  app.delete('/api/keys/:id', async (request) => {
    await keyDesk.revoke(named.parse(request.params).id);
    return {};
  });
}
