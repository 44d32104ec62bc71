import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { OperatorOf } from './operator.ts';
import type { WebPorts } from './ports.ts';

/** A place, by its address. */
export const receiver = z.object({
  notifier: z.string().max(40),
  address: z.record(z.string().max(60), z.union([z.string().max(2_000), z.number()])),
});
const muteBody = z.object({ receiver, on: z.boolean() });
const testBody = z.object({ receiver });

/** Serves to the operator where alerts go. */
export function serveDestinations(
  app: FastifyInstance,
  { destinations, operatorOf }: { readonly operatorOf: OperatorOf } & Pick<WebPorts, 'destinations'>,
): void {
  app.get('/api/destinations', (request) => destinations.list(operatorOf(request)));
  app.post('/api/destinations/mute', async (request) => {
    const caller = operatorOf(request);
    const { receiver: place, on } = muteBody.parse(request.body);
    return { said: await destinations.mute(place, { on, caller }) };
  });
  app.post('/api/destinations/test', async (request) => {
    const caller = operatorOf(request);
    await destinations.test(testBody.parse(request.body).receiver, caller);
    return {};
  });
}
