import { describe, expect, it } from 'vitest';
import type { Subscription } from '#src/alert/subscription.ts';
import { hour, minute } from '#src/runtime/units.ts';
import { change, firing, receiver, silence, start } from '#test/support/alerts.ts';
import { ownPipeline, subscribed } from '#test/support/own-pipeline.ts';
import type { PipelineFixture } from '#test/support/pipeline.ts';

const hourly: Partial<Subscription> = { digest: { every: 'hour', at: '08:00', timeZone: 'UTC' } };
const daily: Partial<Subscription> = { digest: { every: 'day', at: '08:00', timeZone: 'UTC' } };
const titles = ({ sent }: PipelineFixture) =>
  sent.map(({ act, notification }) => `${act} ${notification.card.title}`);

describe('a digest', () => {
  it('is one card for the hour, the worst first, which marks alerts that have ended', async () => {
    const f = await subscribed(hourly);
    await f.report([change({ symbol: 'AUSDT', severity: 'info' })]);
    await f.skip(10 * minute);
    await f.report([change({ symbol: 'BUSDT' }), change({ symbol: 'CUSDT' })]);
    await f.skip(10 * minute);
    await f.report([change({ symbol: 'BUSDT', status: 'resolved' })]);
    expect(f.sent).toEqual([]);
    await f.skip(40 * minute);
    expect(titles(f)).toEqual(['send Digest: 3 alerts']);
    expect(f.sent[0]?.notification.card.table?.rows).toEqual([
      ['CUSDT funding-extreme', 'Warning', 'Firing'],
      ['BUSDT funding-extreme', 'Warning', 'Resolved after 10 min 1 s'],
      ['AUSDT funding-extreme', 'Info', 'Firing'],
    ]);
  });

  it('reports an end after it in the next digest, although the alert began in this one', async () => {
    const f = await subscribed(hourly);
    await f.report([change()]);
    await f.skip(hour);
    await f.report([change({ status: 'resolved' })]);
    await f.skip(hour);
    expect(f.sent.map(({ notification }) => notification.card.status)).toEqual(['firing', 'ended']);
  });

  it('keeps one row for each alert, however often it changes', async () => {
    const f = await subscribed(daily);
    await f.report([change()]);
    for (let n = 0; n < 5; n++) await f.report([change({ status: 'updated' })]);
    expect((await f.store.outbox.backlog()).waiting).toBe(1);
    await f.skip(8 * hour);
    expect(titles(f)).toEqual(['send Digest: 1 alert']);
  });

  it('does not contain a critical alert: that is sent at once and its message is edited', async () => {
    const f = await subscribed(hourly);
    await f.report([change()]);
    await f.report([change({ status: 'updated', severity: 'critical' })]);
    await f.report([change({ status: 'resolved', severity: 'critical' })]);
    expect(titles(f)).toEqual(['send BTCUSDT funding-extreme', 'edit BTCUSDT funding-extreme']);
    await f.skip(hour);
    expect(f.sent).toHaveLength(2);
    expect(await f.outcomes()).toContain('suppressed: already sent right away');
  });

  it.each([500, 1])(
    'omits what another subscription of the place wants at once (%i per page)',
    async (pageSize) => {
      const f = await subscribed({ ...daily, symbols: ['*'] }, { pageSize });
      await f.subscribe({ symbols: ['BTCUSDT'] });
      await f.subscribe(hourly);
      await f.report([change({ symbol: 'BTCUSDT' }), change({ symbol: 'ETHUSDT' })]);
      await f.clock.advance(1_000);
      expect(titles(f)).toEqual(['send BTCUSDT funding-extreme']);
      await f.skip(9 * hour);
      expect(titles(f).slice(1)).toEqual(['send Digest: 1 alert']);
    },
  );

  it('omits silenced alerts, with the reason in the log and in the metrics', async () => {
    const counted: string[] = [];
    const f = await subscribed(hourly, {
      count: ({ outcome, reason }) => void counted.push(reason === '' ? outcome : `${outcome}: ${reason}`),
    });
    await f.report([change({ symbol: 'BTCUSDT' }), change({ symbol: 'ETHUSDT' })]);
    await f.store.silences.add(silence({ symbols: ['BTCUSDT'], endsAt: start + 2 * hour }));
    await f.skip(hour);
    expect(f.sent[0]?.notification.card.table?.rows).toHaveLength(1);
    expect((await f.outcomes()).sort()).toEqual(['sent', 'suppressed: silenced']);
    expect(counted.sort()).toEqual(['sent', 'suppressed: silenced']);
  });

  it('omits what the place has unsubscribed from meanwhile, although it is subscribed to other kinds', async () => {
    let universe = ['BTCUSDT'];
    const f = await ownPipeline({ universe: () => universe });
    const funding = await f.subscribe({ ...daily, kinds: ['funding-extreme'] });
    await f.subscribe({ ...daily, kinds: ['basis-flip'], symbols: ['top20'] });
    await f.report([change(), change({ kind: 'basis-flip' })]);
    await f.skip(hour);
    await f.store.subscriptions.remove(funding.id, receiver());
    // A market that is no longer among the largest was asked for all the same.
    universe = [];
    await f.skip(8 * hour);
    expect(f.sent.map(({ notification }) => notification.card.table?.rows.map(([name]) => name))).toEqual([
      ['BTCUSDT basis-flip'],
    ]);
    expect((await f.outcomes()).sort()).toEqual(['sent', 'suppressed: no longer subscribed']);
  });

  it('omits what is silenced even if it was late for the digest', async () => {
    const f = await subscribed(hourly);
    await f.report([change({ symbol: 'AUSDT' })]);
    await f.skip(hour);
    await f.store.silences.add(silence({ symbols: ['BUSDT'], endsAt: start + 2 * hour }));
    const late = { alert: firing({ symbol: 'BUSDT' }, start + hour - 1), group: '', due: 0, heldBy: null };
    await f.store.dispatch((unit) => unit.save(late));
    await f.store.dispatch((unit) => unit.announce(late));
    await f.skip(1_000);
    expect(titles(f)).toEqual(['send Digest: 1 alert']);
    expect(await f.outcomes()).toEqual(['suppressed: silenced until 1 Jan 2026, 02:00 UTC', 'sent']);
  });

  it('is not sent if its subscription was paused meanwhile', async () => {
    const f = await ownPipeline();
    const one = await f.subscribe(hourly);
    await f.report([change()]);
    await f.store.subscriptions.update({ ...one, paused: true });
    await f.skip(hour);
    expect(f.sent).toEqual([]);
    expect(await f.outcomes()).toEqual(['suppressed: no longer subscribed']);
  });

  it('of a day does not expire although its alerts are old', async () => {
    const f = await subscribed(daily, { expireAfter: hour });
    await f.report([change()]);
    await f.skip(8 * hour);
    expect(titles(f)).toEqual(['send Digest: 1 alert']);
  });
});

describe('the subscribers that get an alert', () => {
  it.each([
    ['top1', 1],
    ['top2', 2],
    ['watchlist', 1],
  ])('are subscribed to the group %s', async (group, messages) => {
    const f = await ownPipeline({ universe: () => ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'] });
    await f.store.watchlist.set(receiver(), ['SOLUSDT']);
    await f.subscribe({ symbols: [group] });
    await f.report(['BTCUSDT', 'ETHUSDT', 'SOLUSDT'].map((symbol) => change({ symbol })));
    await f.clock.advance(1_000);
    expect(f.sent).toHaveLength(messages);
  });

  it('are not those with a paused subscription', async () => {
    const f = await subscribed({ paused: true });
    await f.report([change()]);
    expect(f.sent).toEqual([]);
  });

  it('have the role of their subscription mentioned by new posts but not by edits', async () => {
    const f = await subscribed({ mention: '123456789012345678' });
    await f.report([change()]);
    await f.report([change({ status: 'updated' })]);
    expect(f.sent.map(({ notification }) => notification.mention)).toEqual(['123456789012345678', undefined]);
  });
});

it('nothing is sent while the operator has paused sending, and everything afterwards', async () => {
  const f = await subscribed();
  await f.store.sending.pause({ by: 'op', at: start });
  await f.report([change()]);
  expect(f.sent).toEqual([]);
  expect((await f.store.deliveries.waiting(receiver(), 5)).map(({ reason }) => reason?.code)).toEqual([
    'paused',
  ]);
  await f.store.sending.resume();
  await f.clock.advance(1_000);
  expect(f.sent).toHaveLength(1);
});
