import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { renderJson } from '../../card/render-json.ts';
import { callerIn, pageQuery } from './caller.ts';
import type { WebPorts } from './ports.ts';

const questionQuery = pageQuery.extend({ line: z.string().trim().min(1).max(200) });

const seriesQuery = pageQuery.extend({
  metric: z.string().max(60),
  symbol: z.string().trim().toUpperCase().max(30).optional(),
  days: z.coerce.number().int().min(1).max(30).default(30),
});

/**
 * Serves the past of a figure, as the commands read it, what a question answers, and how often the exchange confirms
 * published data.
 */
export function serveSeries(
  app: FastifyInstance,
  { ask, series, dataChecks }: Pick<WebPorts, 'ask' | 'series' | 'dataChecks'>,
): void {
  app.get('/api/series', (request) => {
    const { room, timeZone, ...wanted } = seriesQuery.parse(request.query);
    return series(wanted, callerIn(room, { headers: request.headers, timeZone }));
  });
  // What a view shows is asked with a viewer's rights, which change nothing, and is no message of the room.
  app.get('/api/answers', async (request) => {
    const { line, room, timeZone } = questionQuery.parse(request.query);
    const caller = callerIn(room, { headers: request.headers, timeZone, role: 'viewer' });
    const { later, failure, ...card } = await ask(line, caller);
    return { card: renderJson((await later) ?? card), refused: failure !== undefined };
  });
  app.get('/api/data-checks', async (request, reply) => {
    const { room, timeZone } = pageQuery.parse(request.query);
    const table = await dataChecks(callerIn(room, { headers: request.headers, timeZone }));
    return reply.type('application/json').send(JSON.stringify(table));
  });
}
