import { z } from 'zod';
import { definePlatform } from '../platform.ts';
import { address } from './address.ts';
import { createNotifier } from './notifier.ts';
import type { WebPorts } from './ports.ts';

const scheme = 'web:';
const loadConsole = () => import('./console.ts');

/** The console: a web page with rooms whose messages are stored here, and the endpoints for monitoring. */
export default definePlatform({
  name: 'web',
  options: z.strictObject({}),
  address,
  addressFormat: {
    example: `${scheme}main`,
    read: (text) =>
      text.startsWith(scheme) ? address.safeParse({ room: text.slice(scheme.length) }).data : undefined,
  },
  shown: (address) => address,
  room: ({ room }) => String(room),
  limits: { concurrency: 8 },
  operatorPlace: { address: { room: 'main' } },
  opensBeforeData: true,
  listens: (_, { host, port }) => ({ description: 'the console’s port (TOCSIN_HTTP_PORT)', host, port }),
  notifier: (_, ports) => createNotifier(ports),
  preload: loadConsole,
  async conversation(_, { http, report, ...ports }: WebPorts) {
    const { createConsole } = await loadConsole();
    return createConsole({ ...http, ...report, ...ports });
  },
});
