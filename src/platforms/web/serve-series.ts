import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Ports } from '../ports.ts';
import { callerIn, pageQuery } from './caller.ts';

const seriesQuery = pageQuery.extend({
  metric: z.string().max(60),
  symbol: z.string().trim().toUpperCase().max(30).optional(),
  days: z.coerce.number().int().min(1).max(30).default(30),
});

/**
 * Serves the past of a figure, as the commands read it, and the audit of how often the exchange confirms published
 * data.
 */
export function serveSeries(
  app: FastifyInstance,
  { series, dataChecks }: Pick<Ports, 'series' | 'dataChecks'>,
): void {
  app.get('/api/series', (request) => {
    const { room, timeZone, ...wanted } = seriesQuery.parse(request.query);
    return series(wanted, callerIn(room, { headers: request.headers, timeZone }));
  });
  app.get('/api/data-checks', async (request, reply) => {
    const { room, timeZone } = pageQuery.parse(request.query);
    const table = await dataChecks(callerIn(room, { headers: request.headers, timeZone }));
    return reply.type('application/json').send(JSON.stringify(table));
  });
}
