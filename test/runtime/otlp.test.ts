import { expect, it, onTestFinished } from 'vitest';
import { createOtlpTracer } from '#src/runtime/otlp.ts';
import { Secret } from '#src/runtime/secret.ts';
import { type CollectorAnswer, startCollector } from '#test/support/collector.ts';
import { patience } from '#test/support/patience.ts';

async function fixture({ answers = [], endpoint }: { answers?: CollectorAnswer[]; endpoint?: string } = {}) {
  const collector = await startCollector();
  onTestFinished(() => collector[Symbol.asyncDispose]());
  collector.next(...answers);
  const logged: string[] = [];
  const log = (fields: unknown, text?: string) => void logged.push(`${text} ${JSON.stringify(fields)}`);
  const rests: number[] = [];
  const tracer = createOtlpTracer({
    endpoint: endpoint ?? `${collector.url}/`,
    headers: new Secret('Authorization=Bearer%20a-long-token, x-tenant=me'),
    service: 'tocsin-test',
    version: '1.2.3',
    steady: { now: () => performance.now() },
    wall: {
      now: () => Date.now(),
      // Sleeps end with the next turn of the event loop; deadlines never pass.
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
          rests.push(ms);
          if (ms !== 2_000) setTimeout(resolve, 1);
        }),
    },
    log: { info: log, warn: log },
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= tracer.close();
    return closed;
  };
  onTestFinished(close);
  return { collector, tracer, logged, rests, close };
}

const work = async () => {};

it('spans are sent as the protocol says, with the configured headers', async () => {
  const { collector, tracer, close } = await fixture();
  const attributes = { text: 'ü', whole: 3, part: 0.5, yes: true };
  await tracer.span({ name: 'poll', attributes }, async () => {
    await tracer.span({ name: 'GET /x', isRequest: true }, work);
    await tracer.span({ name: 'dispatch' }, async (span) => span.announce([{ alertId: 'a1', revision: 1 }]));
  });
  await close();
  expect(collector.problems).toEqual([]);
  expect(collector.resources[0]).toEqual({ 'service.name': 'tocsin-test', 'service.version': '1.2.3' });
  expect(collector.heads[0]).toMatchObject({ authorization: 'Bearer a-long-token', 'x-tenant': 'me' });
  expect(collector.named('poll')[0]).toMatchObject({
    kind: 1,
    attributes: { text: 'ü', whole: '3', part: 0.5, yes: true },
    status: {},
  });
  expect(collector.named('GET /x')[0]?.kind).toBe(3);
  expect(collector.named('alert')).toHaveLength(1);
});

it('a failed span is marked as failed, and contains no secret', async () => {
  const { collector, tracer, close } = await fixture();
  new Secret('never-to-be-shown');
  const fails = () => Promise.reject(new Error('refused: never-to-be-shown'));
  await tracer.span({ name: 'look' }, fails).catch(() => {});
  await close();
  expect(collector.spans[0]?.status).toEqual({ code: 2, message: 'refused: [secret]' });
});

it.each([429, 502, 503, 504])('after status %i spans are sent again, once', async (status) => {
  const { collector, tracer } = await fixture({ answers: [{ status }, { status }] });
  await tracer.span({ name: 'poll' }, work);
  await expect.poll(() => collector.named('poll').length, { timeout: patience }).toBe(1);
  expect(collector.heads).toHaveLength(3);
  expect(collector.problems).toEqual([]);
});

it('spans are sent again as late as the collector asks', async () => {
  const { collector, tracer, rests } = await fixture({
    answers: [{ status: 503, headers: { 'retry-after': '7' } }],
  });
  await tracer.span({ name: 'poll' }, work);
  await expect.poll(() => collector.spans.length, { timeout: patience }).toBe(1);
  expect(rests).toContain(7_000);
});

it('spans that are refused for good are dropped, which is logged once', async () => {
  const { collector, tracer, logged } = await fixture({ answers: [{ status: 400 }, { status: 400 }] });
  for (const name of ['a', 'b', 'c']) {
    const before = collector.heads.length;
    await tracer.span({ name }, work);
    await expect.poll(() => collector.heads.length, { timeout: patience }).toBeGreaterThan(before);
  }
  await expect.poll(() => collector.spans.map(({ name }) => name), { timeout: patience }).toEqual(['c']);
  expect(logged.filter((line) => line.includes('400'))).toHaveLength(1);
  await expect.poll(() => logged.at(-1), { timeout: patience }).toMatch(/reach their collector again/);
});

it('a partial refusal is logged', async () => {
  const body = JSON.stringify({ partialSuccess: { rejectedSpans: '2', errorMessage: 'too many' } });
  const { tracer, logged, close } = await fixture({ answers: [{ status: 200, body }] });
  await tracer.span({ name: 'poll' }, work);
  await close();
  expect(logged.join()).toContain('it refused 2 spans: too many');
});

it('an unreachable collector delays nothing, and costs the newest spans', async () => {
  const { tracer, logged, close } = await fixture({ endpoint: 'http://127.0.0.1:1' });
  for (let n = 0; n < 5_000; n++) await tracer.span({ name: 'poll' }, work);
  await close();
  expect(logged).toHaveLength(1);
  expect(logged[0]).toMatch(/cannot be reached/);
});
