import { subscribe } from 'node:diagnostics_channel';
import type { Logger } from 'pino';
import type { Outlet } from '#src/pipeline/delivery.ts';
import type { Platform } from '#src/platforms/platform.ts';
import type { WallClock } from '#src/runtime/clock.ts';
import { createPace } from '#src/runtime/pace.ts';
import { notifierPorts } from '#test/support/ports.ts';

/**
 * Opens the notifiers of a life by their options. Nothing is paced: the doubles set no limits, and the events of the tests come
 * faster than real limits allow. Each request says which life has sent it.
 */
export function openOutlets(
  notifiers: Readonly<Record<string, object>>,
  { now, wall, log }: { readonly now: () => number; readonly wall: WallClock; readonly log: Logger },
): Promise<Outlet[]> {
  // undici offers its requests to subscribers of this channel.
  subscribe('undici:request:create', (created) => {
    const { request } = created as { readonly request: { addHeader(name: string, value: string): void } };
    request.addHeader('x-sender', String(process.pid));
  });
  const pace = createPace({}, wall);
  const ports = notifierPorts({ now, pace, log });
  const opened = Object.entries(notifiers).map(async ([name, options]) => {
    const { default: platform }: { default: Platform } = await import(`#src/platforms/${name}/platform.ts`);
    const connection = platform.notifier(platform.options.parse(options), ports);
    return { name, connection, concurrency: platform.limits.concurrency, pace };
  });
  return Promise.all(opened);
}
