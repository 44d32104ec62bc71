import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { renderPage } from '../../card/render-json.ts';
import type { CallerOf } from './caller.ts';
import { givenLook, receiver } from './ports/destinations.ts';
import type { WebPorts } from './ports.ts';

const muteBody = z.object({ receiver, on: z.boolean() });
const lookBody = z.object({ receiver, id: z.string().max(40), look: givenLook });
const triedBody = z.object({ look: givenLook });
const testBody = z.object({ receiver });

/** Serves to the operator where alerts go. */
export function serveDestinations(
  app: FastifyInstance,
  { ask, destinations, callerOf }: { readonly callerOf: CallerOf } & Pick<WebPorts, 'ask' | 'destinations'>,
): void {
  app.get('/api/destinations', async (request) => destinations.list(await callerOf(request)));
  app.post('/api/destinations/mute', async (request) => {
    const caller = await callerOf(request);
    const { receiver: place, on } = muteBody.parse(request.body);
    return { said: await destinations.mute(place, { on, caller }) };
  });
  app.post('/api/destinations/look', async (request) => {
    const caller = await callerOf(request);
    const { receiver: place, ...given } = lookBody.parse(request.body);
    return { said: await destinations.restyle(place, { ...given, caller }) };
  });
  // A sample in this look, as the command `template` shows it. Nothing is saved.
  app.post('/api/looks', async (request) => {
    const caller = await callerOf(request);
    const { color, footer, ...given } = triedBody.parse(request.body).look;
    const input = { ...given, color: color ?? undefined, footer: footer ?? undefined };
    const { later: _, failure, ...card } = await ask({ name: 'template', input }, caller);
    return { card: renderPage(card), refused: failure !== undefined };
  });
  app.post('/api/destinations/test', async (request) => {
    const caller = await callerOf(request);
    await destinations.test(testBody.parse(request.body).receiver, caller);
    return {};
  });
}
