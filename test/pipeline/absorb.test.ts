import { describe, expect, it } from 'vitest';
import { type Change, dataBlind } from '#src/alert/alert.ts';
import { inhibitRule } from '#src/alert/inhibit.ts';
import { hour, minute, second } from '#src/runtime/units.ts';
import { change, receiver, start } from '#test/support/alerts.ts';
import { ownPipeline, subscribed } from '#test/support/own-pipeline.ts';
import { outcomeOf, type PipelineFixture, type Sent } from '#test/support/pipeline.ts';

const rules = [
  inhibitRule.parse({
    by: { kind: 'cascade', where: { side: 'LONG' } },
    holds: ['burst', { kind: 'move', where: { direction: 'DOWN' } }],
    event: { before: '30m', after: '1h' },
  }),
];
const started = (wanted: Parameters<PipelineFixture['subscribe']>[0] = {}) =>
  subscribed(wanted, { inhibitRules: rules });

const labelled = (labels: Change['labels'], given: Parameters<typeof change>[0] = {}): Change => ({
  ...change({ title: [labels.kind, labels.symbol, labels.direction].join(' ').trim(), ...given }),
  labels,
});
const cascade = (given: Parameters<typeof change>[0] = {}, side = 'LONG') =>
  labelled({ kind: 'cascade', side }, given);
const burst = (given: Parameters<typeof change>[0] = {}) =>
  labelled({ kind: 'burst', symbol: 'SOLUSDT' }, given);
const move = (direction: string, given: Parameters<typeof change>[0] = {}) =>
  labelled({ kind: 'move', symbol: 'BTCUSDT', direction }, given);

const seen = (sent: readonly Sent[]) =>
  sent.map(({ act, reference, notification: { card } }) => `${act} ${reference} ${card.title}`);
const loud = (sent: readonly Sent[]) => seen(sent.filter(({ act }) => act === 'send'));

describe('alerts that are part of an event share its post', () => {
  const cases: [rule: string, tell: (f: PipelineFixture) => Promise<void>, posts: readonly string[]][] = [
    ['what begins while it lasts is a part of it', async (f) => f.report([burst()]), ['cascade']],
    ['of its own direction', async (f) => f.report([move('DOWN')]), ['cascade']],
    ['and not of the other', async (f) => f.report([move('UP')]), ['cascade', 'move BTCUSDT UP']],
    [
      'also shortly after its end, and when it is over what goes on is still no news',
      async (f) => {
        await f.report([burst()]);
        await f.report([cascade({ status: 'resolved' })]);
        await f.skip(50 * minute);
        await f.report([move('DOWN')]);
        await f.report([burst({ status: 'resolved' })]);
      },
      ['cascade'],
    ],
    [
      'long after it something else has begun',
      async (f) => {
        await f.report([cascade({ status: 'resolved' })]);
        await f.skip(61 * minute);
        await f.report([burst()]);
      },
      ['cascade', 'burst SOLUSDT'],
    ],
    [
      'a part that gets worse meanwhile is in it',
      async (f) => {
        await f.report([burst()]);
        await f.report([burst({ status: 'updated', severity: 'critical' })]);
      },
      ['cascade'],
    ],
    [
      'and one that gets worse long after is news',
      async (f) => {
        await f.report([move('DOWN')]);
        await f.report([cascade({ status: 'resolved' })]);
        await f.skip(2 * hour);
        await f.report([move('DOWN', { status: 'updated', severity: 'critical' })]);
      },
      ['cascade', 'move BTCUSDT DOWN'],
    ],
  ];
  it.each(cases)('%s', async (_, tell, posts) => {
    const f = await started();
    await f.report([cascade()]);
    await tell(f);
    expect(loud(f.sent).map((line) => line.replace(/^send m\d+ /, ''))).toEqual(posts);
  });
});

describe('an alert that began shortly before the event', () => {
  it('is edited to point to the event, and makes no further post', async () => {
    const f = await started();
    await f.report([burst()]);
    await f.skip(10 * minute);
    await f.report([cascade()]);
    await f.report([burst({ status: 'updated', severity: 'critical' })]);
    await f.report([burst({ status: 'resolved', severity: 'critical' })]);
    expect(seen(f.sent)).toEqual([
      'send m1 burst SOLUSDT',
      'send m2 cascade',
      'edit m1 burst SOLUSDT',
      'edit m1 burst SOLUSDT',
      'edit m1 burst SOLUSDT',
    ]);
    const [, , ended] = f.sent;
    expect(ended?.notification.card.summary).toContain('Part of: cascade');
    expect(ended?.notification.card.status).toBeUndefined();
    expect(f.sent.at(-1)?.notification.card.status).toBe('resolved');
  });

  it('is not sent if it was still waiting', async () => {
    const f = await started();
    await f.report([burst()], 30 * second);
    await f.report([cascade()]);
    await f.skip(minute);
    expect(loud(f.sent)).toEqual(['send m1 cascade']);
    const log = await f.store.deliveries.missed(receiver(), { since: start, limit: 10 });
    expect(new Set(log.map(outcomeOf))).toEqual(new Set(['suppressed: part of "cascade"']));
  });

  it('stays separate if it began long before', async () => {
    const f = await started();
    await f.report([burst()]);
    await f.skip(31 * minute);
    await f.report([cascade()]);
    await f.report([burst({ status: 'updated', severity: 'critical' })]);
    expect(loud(f.sent).map((line) => line.replace(/^send m\d+ /, ''))).toEqual([
      'burst SOLUSDT',
      'cascade',
      'burst SOLUSDT',
    ]);
  });
});

describe('a subscriber who does not get the event', () => {
  it.each([
    ['because of its kind', { kinds: ['burst'] }],
    ['because of its severity', { kinds: ['burst', 'cascade'], minSeverity: 'critical' as const }],
  ])('%s gets the event’s parts', async (_, wanted) => {
    const f = await started(wanted);
    await f.report([cascade()]);
    await f.report([burst({ severity: 'critical' })]);
    await f.report([burst({ status: 'resolved', severity: 'critical' })]);
    expect(seen(f.sent)).toEqual(['send m1 burst SOLUSDT', 'edit m1 burst SOLUSDT']);
    expect(f.sent[0]?.notification.card.summary).not.toContain('Part of');
  });

  it('gets every change of an alert that was sent before the event', async () => {
    const f = await started({ kinds: ['burst'] });
    await f.report([burst()]);
    await f.report([cascade()]);
    await f.report([burst({ status: 'updated', severity: 'critical' })]);
    expect(loud(f.sent)).toHaveLength(2);
  });

  it('is one that gets it by no subscription of the place, on any page', async () => {
    const f = await ownPipeline({ inhibitRules: rules, pageSize: 1 });
    await f.subscribe({ kinds: ['burst'] });
    await f.subscribe({ kinds: [dataBlind] });
    await f.subscribe({ kinds: ['cascade'] });
    await f.report([cascade()]);
    await f.clock.advance(second);
    await f.report([burst()]);
    await f.clock.advance(second);
    expect(loud(f.sent)).toEqual(['send m1 cascade']);
  });
});
