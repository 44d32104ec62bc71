import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { CallerOf } from './caller.ts';
import type { WebPorts } from './ports.ts';

const named = z.object({ path: z.string().max(200) });
const body = z.object({ value: z.union([z.string().max(500), z.number(), z.boolean(), z.null()]) });

export function serveSettings(
  app: FastifyInstance,
  { settings, callerOf }: { readonly callerOf: CallerOf } & Pick<WebPorts, 'settings'>,
): void {
  const path = '/api/settings/:path';
  app.get('/api/settings', () => settings.list());
  app.put(path, async (request) => {
    await settings.change(named.parse(request.params).path, body.parse(request.body).value);
    return {};
  });
  app.delete(path, async (request) => {
    await settings.change(named.parse(request.params).path, undefined);
    return {};
  });
  app.post(`${path}/preview`, async (request) => {
    const caller = await callerOf(request);
    const { value } = body.parse(request.body);
    return (await settings.preview(named.parse(request.params).path, { value, caller })) ?? {};
  });
}
