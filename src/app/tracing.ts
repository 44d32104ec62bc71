import type { Logger } from 'pino';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { steadyClock, type WallClock } from '../runtime/clock.ts';
import { secret } from '../runtime/secret.ts';
import { type Tracer, untraced } from '../runtime/tracer.ts';
import { httpUrl } from './config/config-live.ts';

/** Headers as `name=value,name=value`. Checked here, so that a mistake is reported at the start and not by the collector. */
const headers = secret.refine(
  (given) =>
    given
      .reveal()
      .split(',')
      .every((pair) => /^\s*[\w!#$%&'*+.^`|~-]+\s*=(?:[^%]|%[\da-f]{2})*$/i.test(pair)),
  'give NAME=VALUE, several with commas between them, values percent-encoded',
);

/** The collector that traces are sent to. */
export const traceSettings = z.strictObject({
  endpoint: httpUrl.nullable(),
  headers: headers.nullable(),
  service: z.string().min(1),
});

interface Closable extends Tracer {
  close(): Promise<void>;
}

/** Opens the tracer. Without a collector, no tracing code is loaded. */
export async function openTracer(
  { endpoint, headers, service }: z.output<typeof traceSettings>,
  { wall, log }: { readonly wall: WallClock; readonly log: Logger },
): Promise<Closable> {
  if (endpoint === null) return { ...untraced, close: async () => {} };
  const { createOtlpTracer } = await import('../runtime/otlp.ts');
  const { version } = manifest;
  return createOtlpTracer({ endpoint, headers, service, version, wall, steady: steadyClock, log });
}
