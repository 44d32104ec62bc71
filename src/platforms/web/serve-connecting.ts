import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ConnectingState } from '../../shell/connecting.ts';
import type { CallerOf } from './caller.ts';
import type { WebPorts } from './ports.ts';
import { qrPath } from './qr.ts';

const named = z.object({ platform: z.string().max(40) });
const optionsBody = z.object({ options: z.record(z.string().max(60), z.string().max(2_000)) });
const placeBody = z.object({
  place: z.union([
    z.string().min(1).max(2_000),
    z.record(z.string().max(60), z.union([z.string().max(200), z.number()])),
  ]),
});

/** A state as the page gets it: with a picture of the link, for the phone beside it. */
export interface PageConnecting extends ConnectingState {
  readonly qr?: ReturnType<typeof qrPath> | undefined;
}

/** Serves the view in which an operator connects platforms. */
export function serveConnecting(
  app: FastifyInstance,
  { connecting, callerOf }: { readonly callerOf: CallerOf } & Pick<WebPorts, 'connecting'>,
): void {
  const withPicture = (state: ConnectingState): PageConnecting => ({
    ...state,
    qr: state.bot && qrPath(state.bot.link),
  });
  const path = '/api/connecting/:platform';
  app.get('/api/connecting', async (request) =>
    (await connecting.list(await callerOf(request))).map(withPicture),
  );
  app.put(path, async (request) => {
    const caller = await callerOf(request);
    const { options } = optionsBody.parse(request.body);
    return withPicture(await connecting.connect(named.parse(request.params).platform, { options, caller }));
  });
  app.delete(path, async (request) => {
    const caller = await callerOf(request);
    return withPicture(await connecting.disconnect(named.parse(request.params).platform, caller));
  });
  app.post(`${path}/sample`, async (request) => {
    const caller = await callerOf(request);
    const { place } = placeBody.parse(request.body);
    await connecting.sample(named.parse(request.params).platform, { place, caller });
    return {};
  });
  app.post(`${path}/subscription`, async (request) => {
    const caller = await callerOf(request);
    const { place } = placeBody.parse(request.body);
    return { said: await connecting.begin(named.parse(request.params).platform, { place, caller }) };
  });
}
