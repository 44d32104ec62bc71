import { pino } from 'pino';
import { expect, it } from 'vitest';
import { openTracer, traceSettings } from '#src/app/tracing.ts';
import { wallClock } from '#src/runtime/clock.ts';

const settings = (headers: string | null, endpoint: string | null = 'http://127.0.0.1:4318') =>
  traceSettings.safeParse({ endpoint, headers, service: 'tocsin' });

it.each<[string, boolean]>([
  ['authorization=Bearer%20x', true],
  ['authorization=Bearer%20x, x-tenant=a=b', true],
  ['authorization', false],
  ['authorization: Bearer x', false],
  ['a=%zz', false],
])('headers such as %s are accepted: %s', (headers, taken) => {
  expect(settings(headers).success).toBe(taken);
});

it('without a collector nothing is traced', async () => {
  const given = settings(null, null).data;
  if (given === undefined) throw new Error('settings that are left out must do');
  const tracer = await openTracer(given, { wall: wallClock, log: pino({ enabled: false }) });
  expect(await tracer.span({ name: 'poll' }, async () => tracer.traceparent())).toBeUndefined();
  await tracer.close();
});
