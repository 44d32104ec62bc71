import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { presetNames } from '../../alert/presets.ts';
import type { CallerOf } from './caller.ts';
import type { PushPlace } from './ports/push-desk.ts';
import type { WebPorts } from './ports.ts';

/** As `PushSubscription.toJSON` gives it; the platform's schema says what an address may be. */
const subscription = z.object({
  endpoint: z.string().max(1_000),
  keys: z.object({ p256dh: z.string().max(200), auth: z.string().max(100) }),
});
const beginBody = z.object({ subscription, preset: z.enum(presetNames) });
const endBody = z.object({ subscription });

const placeOf = (
  { endpoint, keys: { p256dh, auth } }: z.output<typeof subscription>,
  { headers: { origin = '' } }: FastifyRequest,
): PushPlace => ({ endpoint, p256dh, auth, ...(origin.startsWith('https:') && { site: origin }) });

/** Serves notifications in the visitor's own browser. Only who has the browser's subscription can name it. */
export function servePush(
  app: FastifyInstance,
  { push, callerOf }: { readonly callerOf: CallerOf } & Pick<WebPorts, 'push'>,
): void {
  app.get('/api/push', async () => ({ key: (await push.key()) ?? null }));
  app.put('/api/push', async (request) => {
    const { subscription, preset } = beginBody.parse(request.body);
    await push.begin(placeOf(subscription, request), { preset, caller: await callerOf(request) });
    return {};
  });
  app.delete('/api/push', async (request) => {
    await push.end(placeOf(endBody.parse(request.body).subscription, request), await callerOf(request));
    return {};
  });
}
