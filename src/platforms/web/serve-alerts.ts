import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { renderPage } from '../../card/render-json.ts';
import { type CallerOf, viewerOf } from './caller.ts';
import type { WebPorts } from './ports.ts';

const alertsQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** Where the previous page ended: `updatedAt,id` of its last alert. */
  before: z
    .string()
    .regex(/^\d{1,15},[0-9a-z-]{1,80}$/)
    .transform((text) => ({ updatedAt: Number(text.split(',')[0]), id: text.slice(text.indexOf(',') + 1) }))
    .optional(),
  kind: z.string().max(60).optional(),
  firing: z.stringbool().default(false),
});

/** Serves the past alerts page by page, and the whole life of one alert. */
export function serveAlerts(
  app: FastifyInstance,
  { feed, reader, callerOf }: { readonly callerOf: CallerOf } & Pick<WebPorts, 'feed' | 'reader'>,
): void {
  const viewer = async (request: FastifyRequest) => viewerOf(await callerOf(request), reader);
  app.get('/api/alerts/page', async (request) => {
    const query = alertsQuery.parse(request.query);
    return feed.page(await viewer(request), query);
  });
  app.get<{ Params: { id: string } }>('/api/alerts/:id', async (request, reply) => {
    const life = await feed.life(await viewer(request), request.params.id);
    return life === undefined
      ? reply.code(404).send({ error: 'no such alert is kept' })
      : {
          ...life,
          card: renderPage(life.card),
          ...(life.after !== undefined && { after: renderPage(life.after) }),
        };
  });
}
