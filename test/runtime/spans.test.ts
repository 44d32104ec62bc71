import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSpans, type FinishedSpan, traceOf } from '#src/runtime/spans.ts';
import { untraced } from '#src/runtime/tracer.ts';

function fixture() {
  const ended: FinishedSpan[] = [];
  let time = 1_000;
  const clock = { now: () => time++ };
  const tracer = createSpans({ wall: clock, steady: clock, ended: (span) => void ended.push(span) });
  const named = (name: string) => ended.filter((each) => each.name === name);
  return { tracer, ended, named };
}

const revision = { alertId: 'a1', revision: 3 };

describe('a span', () => {
  it('is a child of the span it was begun in, and lasts as long as its work', async () => {
    const { tracer, named } = fixture();
    await tracer.span({ name: 'poll' }, () => tracer.span({ name: 'look' }, async () => {}));
    const [[poll], [look]] = [named('poll'), named('look')];
    expect(poll).not.toHaveProperty('parentSpanId');
    expect(look).toMatchObject({ traceId: poll?.traceId, parentSpanId: poll?.spanId });
    expect(look?.began).toBeGreaterThan(poll?.began ?? 0);
    expect(look?.ended).toBeLessThan(poll?.ended ?? 0);
  });

  it('is not a child of a concurrent span', async () => {
    const { tracer, ended } = fixture();
    const one = (name: string) =>
      tracer.span({ name }, async () => {
        await delay(1);
        await tracer.span({ name: `in ${name}` }, async () => {});
      });
    await Promise.all([one('a'), one('b')]);
    for (const name of ['a', 'b']) {
      const [outer] = ended.filter((each) => each.name === name);
      expect(ended.find((each) => each.name === `in ${name}`)?.parentSpanId).toBe(outer?.spanId);
    }
  });

  it('is marked as failed if its work throws, and the caller gets the error', async () => {
    const { tracer, ended } = fixture();
    const work = () => Promise.reject(new Error('no data'));
    await expect(tracer.span({ name: 'look' }, work)).rejects.toThrow('no data');
    expect(ended).toMatchObject([{ name: 'look', problem: 'no data' }]);
  });

  it('has the attributes of its beginning and those set later', async () => {
    const { tracer, ended } = fixture();
    await tracer.span({ name: 'x', attributes: { a: 1 } }, async (span) => span.set({ b: true }));
    expect(ended[0]?.attributes).toEqual({ a: 1, b: true });
  });

  it('is written in headers as W3C Trace Context has it', async () => {
    const { tracer, ended } = fixture();
    expect(tracer.traceparent()).toBeUndefined();
    const header = await tracer.span({ name: 'x', isRequest: true }, async () => tracer.traceparent());
    expect(header).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(header).toBe(`00-${ended[0]?.traceId}-${ended[0]?.spanId}-01`);
  });
});

describe('a revision of an alert', () => {
  it('begins a trace of its own, which names the span that found it', async () => {
    const { tracer, named } = fixture();
    await tracer.span({ name: 'dispatch' }, async (span) => span.announce([revision]));
    const [[dispatch], [alert]] = [named('dispatch'), named('alert')];
    expect(alert).toMatchObject({
      ...traceOf(revision),
      attributes: { 'tocsin.alert.id': 'a1', 'tocsin.alert.revision': 3 },
      links: [{ traceId: dispatch?.traceId, spanId: dispatch?.spanId }],
    });
    expect(dispatch?.links).toEqual([traceOf(revision)]);
  });

  it('is continued by another process, which knows only the revision', async () => {
    const [first, second] = [fixture(), fixture()];
    await first.tracer.span({ name: 'dispatch' }, async (span) => span.announce([revision]));
    await second.tracer.span({ name: 'deliver', revisions: [revision] }, async () => {});
    const [alert] = first.named('alert');
    expect(second.ended).toMatchObject([{ traceId: alert?.traceId, parentSpanId: alert?.spanId }]);
  });

  it('has its message in its own trace, even if the message shows other alerts too', async () => {
    const { tracer, ended } = fixture();
    const of = [revision, { alertId: 'a2', revision: 1 }];
    const header = await tracer.span({ name: 'deliver', revisions: of }, async () => tracer.traceparent());
    expect(ended.map(({ traceId }) => traceId)).toEqual(of.map((each) => traceOf(each).traceId));
    expect(new Set(ended.map(({ spanId }) => spanId)).size).toBe(2);
    expect(header).toContain(traceOf(revision).traceId);
  });

  it('has another trace than the next revision', () => {
    expect(traceOf(revision).traceId).not.toBe(traceOf({ ...revision, revision: 4 }).traceId);
  });
});

it('work is done unchanged if there is no collector', async () => {
  const header = async () => untraced.traceparent() ?? 'none';
  expect(await untraced.span({ name: 'x', revisions: [revision] }, header)).toBe('none');
});
