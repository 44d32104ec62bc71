import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Ports } from '../ports.ts';
import { callerIn, room, timeZone } from './caller.ts';

const asked = z.object({
  metric: z.string().max(60),
  symbol: z.string().trim().toUpperCase().max(30).optional(),
  days: z.coerce.number().int().min(1).max(30).default(30),
  room: room.default('main'),
  timeZone: timeZone.default('UTC'),
});

/** The past of a number, as the commands read it. */
export function serveSeries(app: FastifyInstance, { series }: Pick<Ports, 'series'>): void {
  app.get('/api/series', (request) => {
    const { room, timeZone, ...wanted } = asked.parse(request.query);
    return series(wanted, callerIn(room, { headers: request.headers, timeZone }));
  });
}
