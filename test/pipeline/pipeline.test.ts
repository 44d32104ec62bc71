import { describe, expect, it } from 'vitest';
import type { Subscription } from '#src/alert/subscription.ts';
import { DeliveryError } from '#src/language/errors.ts';
import { plainReader, say } from '#src/language/say.ts';
import { msg } from '#src/language/text.ts';
import type { Connection } from '#src/platforms/notifier.ts';
import { hour, minute, second } from '#src/runtime/units.ts';
import { change, receiver, silence, start } from '#test/support/alerts.ts';
import { ownPipeline, subscribed } from '#test/support/own-pipeline.ts';
import { type PipelineFixture, recorder, type Sent, switchable } from '#test/support/pipeline.ts';
import { rule } from '#test/support/rules.ts';

const seen = (sent: readonly Sent[]) =>
  sent.map(({ act, reference, notification }) => `${act} ${reference} ${notification.card.status}`);

const titles = (sent: readonly Sent[]) => sent.map(({ notification }) => notification.card.title);

/** A platform that gives these answers first, and then takes everything. */
const answering = (...answers: DeliveryError[]) =>
  recorder(() => {
    const answer = answers.shift();
    if (answer !== undefined) throw answer;
  });

describe('a living message', () => {
  it('is posted when it fires, edited as it changes, and resolved in place', async () => {
    const f = await subscribed();
    await f.report([change()]);
    await f.report([change({ status: 'updated' })]);
    await f.skip(10 * minute);
    await f.report([change({ status: 'resolved' })]);
    expect(seen(f.sent)).toEqual(['send m1 firing', 'edit m1 updated', 'edit m1 resolved']);
    expect(f.sent[2]?.notification.card.summary).toContain('Resolved after 10 min');
  });

  it('is followed by a reply when it escalates, because an edit notifies nobody; later edits go to the reply', async () => {
    const f = await subscribed();
    await f.report([change()]);
    await f.report([change({ status: 'updated', severity: 'critical' })]);
    await f.report([change({ status: 'resolved', severity: 'critical' })]);
    await f.clock.advance(second);
    expect(seen(f.sent)).toEqual([
      'send m1 firing',
      'send m2 updated',
      'edit m1 undefined',
      'edit m2 resolved',
    ]);
    expect(f.sent[1]?.notification.replyTo).toBe('m1');
  });

  it('is followed by a reply even if the escalation could be sent only after a later change', async () => {
    const { sent, connection, state } = switchable();
    const f = await subscribed({}, { connection });
    await f.report([change()]);
    state.away = true;
    await f.report([change({ status: 'updated', severity: 'critical' })]);
    await f.report([change({ status: 'updated', severity: 'critical' })]);
    state.away = false;
    await f.clock.advance(10 * second);
    expect(seen(sent)).toEqual(['send m1 firing', 'send m2 updated', 'edit m1 undefined']);
  });

  it('is a new message when the same alert fires again later', async () => {
    const f = await subscribed();
    await f.report([change()]);
    await f.skip(minute);
    await f.report([change({ status: 'resolved' })]);
    await f.skip(minute);
    await f.report([change()]);
    expect(seen(f.sent)).toEqual(['send m1 firing', 'edit m1 resolved', 'send m3 firing']);
  });

  it('is posted again where a platform cannot edit', async () => {
    const { sent, connection } = recorder();
    const f = await subscribed({}, { connection: { send: connection.send } });
    await f.report([change()]);
    await f.report([change({ status: 'resolved' })]);
    expect(seen(sent)).toEqual(['send m1 firing', 'send m2 resolved']);
    expect(sent[1]?.notification.replyTo).toBe('m1');
  });
});

describe('a wave', () => {
  const joining = (symbol: string, severity: 'info' | 'warning' | 'critical' = 'warning') =>
    change({ symbol, severity, burst: 'wave', joins: true });

  it('is one message, and alerts that join later edit it', async () => {
    const f = await subscribed();
    for (const symbol of ['BTCUSDT', 'ETHUSDT', 'SOLUSDT']) {
      await f.report([joining(symbol)], 1);
      await f.skip(second);
    }
    await f.report([{ ...joining('SOLUSDT'), status: 'updated', severity: 'info' }]);
    expect(f.sent.map(({ act, reference }) => `${act} ${reference}`)).toEqual([
      'send m1',
      'edit m1',
      'edit m1',
      'edit m1',
    ]);
    expect(f.sent.at(-1)?.notification.card.table?.rows).toHaveLength(3);
  });

  it('gets one reply when an alert in it is worse than everything that it shows', async () => {
    const f = await subscribed();
    await f.report([joining('BTCUSDT')], 1);
    await f.skip(second);
    await f.report([joining('ETHUSDT', 'critical')], 1);
    await f.skip(second);
    await f.report([{ ...joining('BTCUSDT', 'critical'), status: 'updated' }]);
    await f.clock.advance(second);
    expect(f.sent.filter(({ act }) => act === 'send')).toHaveLength(2);
  });

  it('gets one reply when several alerts in it become worse than everything that it shows at the same time', async () => {
    const f = await subscribed();
    const symbols = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
    await f.report(
      symbols.map((symbol) => joining(symbol)),
      1,
    );
    await f.skip(second);
    const worse = symbols
      .slice(1)
      .map((symbol) => ({ ...joining(symbol, 'critical'), status: 'updated' as const }));
    await f.report(worse);
    await f.clock.advance(second);
    expect(f.sent.filter(({ act }) => act === 'send')).toHaveLength(2);
  });
});

describe('the subscribers that get an alert', () => {
  it.each([
    ['everything', {}, 1],
    ['its kind', { kinds: ['funding-extreme'] }, 1],
    ['another kind', { kinds: ['oi-momentum'] }, 0],
    ['its symbol', { symbols: ['BTCUSDT'] }, 1],
    ['another symbol', { symbols: ['ETHUSDT'] }, 0],
    ['its severity or less', { minSeverity: 'warning' as const }, 1],
    ['more severe only', { minSeverity: 'critical' as const }, 0],
  ])('are those whose subscription matches: %s', async (_, wanted, messages) => {
    const f = await subscribed(wanted);
    await f.report([change()]);
    expect(f.sent).toHaveLength(messages);
  });

  it('get one message even if two subscriptions of a place match', async () => {
    const f = await subscribed({ kinds: ['funding-extreme'] }, { pageSize: 1 });
    await f.subscribe({ symbols: ['BTCUSDT'] });
    await f.report([change()]);
    await f.clock.advance(second);
    expect(seen(f.sent)).toEqual(['send m1 firing']);
  });

  it('get it when it escalates to their minimum severity', async () => {
    const f = await subscribed({ minSeverity: 'critical' });
    await f.report([change()]);
    await f.report([change({ status: 'updated', severity: 'critical' })]);
    expect(seen(f.sent)).toEqual(['send m1 updated']);
  });

  it('get that escalation even if the alert ended before it could be sent', async () => {
    const { sent, connection, state } = switchable();
    state.away = true;
    const f = await subscribed({ minSeverity: 'critical' }, { connection });
    await f.report([change()]);
    await f.report([change({ status: 'updated', severity: 'critical' })]);
    await f.report([change({ status: 'resolved', severity: 'critical' })]);
    state.away = false;
    await f.clock.advance(10 * second);
    expect(seen(sent)).toEqual(['send m1 ended']);
  });
});

describe('a group', () => {
  it('gathers the alerts that fire within its window into one message', async () => {
    const f = await subscribed();
    await f.report([change({ symbol: 'BTCUSDT' }), change({ symbol: 'ETHUSDT' })], 30 * second);
    await f.skip(20 * second);
    await f.report([change({ symbol: 'SOLUSDT' })], 30 * second);
    expect(f.sent).toEqual([]);
    await f.skip(10 * second);
    expect(seen(f.sent)).toEqual(['send m1 firing']);
    expect(f.sent[0]?.notification.card.table?.rows).toHaveLength(3);
  });

  it('mentions people for an escalation that it already shows before that escalation’s own turn', async () => {
    const f = await subscribed();
    const symbols = ['BTCUSDT', 'ETHUSDT'];
    await f.report(
      symbols.map((symbol) => change({ symbol })),
      second,
    );
    await f.skip(minute);
    await f.report(
      [change({ symbol: 'BTCUSDT' }), change({ symbol: 'ETHUSDT', severity: 'critical' })],
      second,
    );
    expect(seen(f.sent).filter((line) => line.startsWith('send'))).toEqual([
      'send m1 firing',
      expect.stringMatching(/^send m\d updated$/),
    ]);
  });

  it('shows each receiver only the alerts that they want', async () => {
    const f = await subscribed({ receiver: receiver('a'), symbols: ['ETHUSDT'] });
    await f.report([change({ symbol: 'BTCUSDT' }), change({ symbol: 'ETHUSDT' })], 30 * second);
    await f.skip(31 * second);
    expect(titles(f.sent)).toEqual(['ETHUSDT funding-extreme']);
  });

  it('is edited when one of its alerts ends', async () => {
    const f = await subscribed();
    await f.report([change({ symbol: 'BTCUSDT' }), change({ symbol: 'ETHUSDT' })], 30 * second);
    await f.skip(31 * second);
    await f.report([change({ symbol: 'BTCUSDT', status: 'resolved' })], 30 * second);
    expect(seen(f.sent)).toEqual(['send m1 firing', 'edit m1 updated']);
  });
});

describe('an alert is held back', () => {
  it('by a silence, with the reason kept', async () => {
    const f = await subscribed();
    await f.store.silences.add(silence({ symbols: ['BTCUSDT'] }));
    await f.report([change()]);
    expect(f.sent).toEqual([]);
    expect(await f.outcomes()).toEqual(['suppressed: silenced until 1 Jan 2026, 01:00 UTC']);
  });

  it('by a silence that begins while its group waits', async () => {
    const f = await subscribed();
    await f.report([change()], 30 * second);
    await f.store.silences.add(silence({ symbols: ['BTCUSDT'] }));
    await f.skip(31 * second);
    expect(f.sent).toEqual([]);
  });

  it('by a silence of other alerts of its group only: the rest is sent', async () => {
    const f = await subscribed();
    await f.store.silences.add(silence({ symbols: ['BTCUSDT'] }));
    await f.report([change({ symbol: 'BTCUSDT' }), change({ symbol: 'ETHUSDT' })], 30 * second);
    await f.skip(31 * second);
    expect(titles(f.sent)).toEqual(['ETHUSDT funding-extreme']);
    expect((await f.outcomes()).sort()).toEqual(['sent', 'suppressed: silenced']);
  });

  it('by a silence only for new posts: its existing message is still edited', async () => {
    const f = await subscribed();
    await f.report([change()]);
    await f.store.silences.add(silence({ symbols: ['BTCUSDT'] }));
    await f.report([change({ status: 'updated', severity: 'critical' })]);
    await f.report([change({ status: 'resolved', severity: 'critical' })]);
    expect(seen(f.sent)).toEqual(['send m1 firing', 'edit m1 updated', 'edit m1 resolved']);
  });

  it('by a silence without the others in its message: if one of them gets worse, a reply says so', async () => {
    const f = await subscribed();
    const [btc, eth] = [{ symbol: 'BTCUSDT' }, { symbol: 'ETHUSDT' }];
    await f.report([change(btc), change(eth)], 30 * second);
    await f.skip(31 * second);
    await f.store.silences.add(silence({ symbols: ['BTCUSDT'] }));
    await f.report([change({ ...btc, status: 'updated', severity: 'critical' })], 30 * second);
    expect(seen(f.sent)).toEqual(['send m1 firing', 'edit m1 updated']);
    await f.report([change({ ...eth, status: 'updated', severity: 'critical' })], 30 * second);
    expect(seen(f.sent).slice(2, 3)).toEqual(['send m3 updated']);
  });

  it('by a silence that has ended since: what becomes of it notifies nobody, as its start was not sent', async () => {
    const f = await subscribed();
    await f.store.silences.add(silence({ symbols: ['BTCUSDT'] }));
    const [btc, eth] = [{ symbol: 'BTCUSDT' }, { symbol: 'ETHUSDT' }];
    await f.report([change(btc), change(eth)], 30 * second);
    await f.skip(31 * second);
    await f.skip(hour);
    await f.report([change({ ...btc, status: 'resolved' })], 30 * second);
    expect(seen(f.sent)).toEqual(['send m1 firing', 'edit m1 updated']);
  });

  it('by a silence of a symbol only if it is about that symbol, not the whole market', async () => {
    const f = await subscribed();
    await f.store.silences.add(silence({ symbols: ['BTCUSDT'] }));
    await f.report([{ ...change(), labels: { kind: 'regime-transition' } }]);
    expect(seen(f.sent)).toEqual(['send m1 firing']);
  });

  const night = { from: '23:00', to: '07:00', timeZone: 'UTC' };

  const ownMessage: [string, (whole: Connection) => Connection][] = [
    ['nothing there can be edited', ({ edit: _, ...rest }) => rest],
    ['people have deleted the first', (whole) => ({ ...whole, edit: async () => null })],
    ['an end is a message there', (whole) => ({ ...whole, editPosts: () => true })],
  ];
  const quiet: [string, (f: PipelineFixture, own: Subscription) => Promise<unknown>][] = [
    ['a silence', ({ store }) => store.silences.add(silence())],
    ['quiet hours', ({ store }, own) => store.subscriptions.update({ ...own, quietHours: night })],
    ['no subscription', ({ store }, own) => store.subscriptions.remove(own.id, own.receiver)],
  ];
  it.each(quiet.flatMap(([by, begin]) => ownMessage.map(([why, on]) => ({ by, why, begin, on }))))(
    'by $by: an update that would be a message of its own, because $why',
    async ({ begin, on }) => {
      const { connection, sent } = recorder();
      const f = await ownPipeline({ connection: on(connection) });
      const own = await f.subscribe();
      await f.report([change()]);
      await begin(f, own);
      await f.report([change({ status: 'updated' })]);
      await f.report([change({ status: 'resolved' })]);
      await f.clock.advance(2 * minute);
      expect(seen(sent)).toEqual(['send m1 firing']);
    },
  );

  it('by quiet hours until morning, if its end is a message of its own; programs are told at once', async () => {
    const [people, programs] = await Promise.all(
      [false, true].map(async (machine) => {
        const { connection, sent } = recorder();
        const f = await ownPipeline({ connection: { ...connection, editPosts: () => true }, machine });
        await f.subscribe({ quietHours: night });
        await f.report([change({ severity: 'critical' })]);
        await f.report([change({ severity: 'info', status: 'updated' })]);
        await f.report([change({ status: 'resolved' })]);
        const atNight = sent.length;
        await f.skip(7 * hour);
        return [atNight, seen(sent).at(-1)];
      }),
    );
    expect(people).toEqual([1, 'edit m1 resolved']);
    expect(programs).toEqual([3, 'edit m1 resolved']);
  });

  it('by quiet hours until morning, then sent with a note of how late it is', async () => {
    const f = await subscribed({ quietHours: night });
    await f.report([change()]);
    expect(f.sent).toEqual([]);
    expect(await f.store.deliveries.waiting(receiver(), 5)).toMatchObject([
      {
        title: 'BTCUSDT funding-extreme',
        reason: { code: 'quiet_hours', text: msg('quiet hours') },
        due: start + 7 * hour,
      },
    ]);
    await f.skip(7 * hour);
    expect(seen(f.sent)).toEqual(['send m1 firing']);
    expect(f.sent[0]?.notification.card.summary).toContain('Delivered 7 h');
  });

  it.each([
    ['00:14', false],
    ['00:16', true],
  ])('by quiet hours until %s: up to a quarter of an hour is not late', async (to, isLate) => {
    const f = await subscribed({ quietHours: { ...night, to } });
    await f.report([change()]);
    await f.skip(Number(to.slice(3)) * minute);
    const { summary = '' } = f.sent[0]?.notification.card ?? {};
    expect(String(summary).includes('Delivered')).toBe(isLate);
  });

  it('by quiet hours for good, if its own subscription is gone when they end', async () => {
    const f = await ownPipeline();
    const nightly = { quietHours: night };
    const own = await f.subscribe({ ...nightly, symbols: ['BTCUSDT'] });
    await f.subscribe({ ...nightly, symbols: ['ETHUSDT'] });
    await f.report([change()]);
    await f.store.subscriptions.remove(own.id, receiver());
    await f.skip(8 * hour);
    expect(f.sent).toEqual([]);
    expect(await f.outcomes()).toEqual(['suppressed: no longer subscribed']);
  });

  it('by quiet hours for good, if it ends before they do', async () => {
    const f = await subscribed({ quietHours: night });
    await f.report([change()]);
    await f.report([change({ status: 'resolved' })]);
    await f.skip(7 * hour);
    expect(f.sent).toEqual([]);
    expect(await f.outcomes()).toContain('suppressed: over before the quiet hours ended');
  });

  it('by quiet hours of its own: an alert of its message that is wanted at night makes no reply about it', async () => {
    const f = await ownPipeline();
    const [btc, eth] = ['BTCUSDT', 'ETHUSDT'];
    await f.subscribe({ quietHours: night, symbols: [btc] });
    await f.subscribe({ symbols: [eth] });
    const both = [btc, eth].map((symbol) => change({ symbol, severity: 'info' }));
    await f.report(both, 30 * second);
    await f.skip(31 * second);
    await f.report([change({ symbol: btc, status: 'updated' })], 30 * second);
    expect(seen(f.sent)).toEqual(['send m1 firing', 'edit m1 updated']);
    await f.report([change({ symbol: eth, status: 'updated' })], 30 * second);
    expect(seen(f.sent).slice(2, 3)).toEqual(['send m3 updated']);
  });

  it('by quiet hours only if it is not critical', async () => {
    const f = await subscribed({ quietHours: night });
    await f.report([change({ severity: 'critical' })]);
    expect(seen(f.sent)).toEqual(['send m1 firing']);
  });

  const rules = [
    { by: { kind: 'data-quality', minSeverity: 'critical' as const }, holds: ['funding-extreme'] },
  ];
  const down = change({ kind: 'data-quality', symbol: '', severity: 'critical', title: 'Data is down' });

  it('by a broader alert, and sent if it still fires when that ends', async () => {
    const f = await subscribed({ kinds: ['funding-extreme'] }, { inhibitRules: rules });
    await f.report([down]);
    await f.report([change()]);
    expect(f.sent).toEqual([]);
    expect((await f.store.alerts.heldBack(start)).map(({ by }) => by)).toEqual(['Data is down']);
    await f.report([{ ...down, status: 'resolved' }]);
    expect(titles(f.sent)).toEqual(['BTCUSDT funding-extreme']);
  });

  const updated = (severity: 'info' | 'warning' | 'critical') => change({ status: 'updated', severity });
  it.each([
    ['eased', [updated('info')]],
    ['went on', [updated('warning')]],
    ['got worse', [updated('critical')]],
    ['got worse and eased', [updated('critical'), updated('info')]],
  ])('by a broader alert, and sent when that ends even if it %s meanwhile', async (_, meanwhile) => {
    const f = await subscribed({ kinds: ['funding-extreme'] }, { inhibitRules: rules });
    await f.report([down]);
    await f.report([change()]);
    for (const each of meanwhile) await f.report([each]);
    expect(f.sent).toEqual([]);
    await f.report([{ ...down, status: 'resolved' }]);
    await f.report([updated('info')]);
    await f.report([change({ status: 'resolved' })]);
    expect(seen(f.sent)).toEqual(['send m1 firing', 'edit m1 updated', 'edit m1 resolved']);
  });

  it('by a broader alert, and sent during quiet hours if it is critical when that ends', async () => {
    const f = await subscribed({ kinds: ['funding-extreme'], quietHours: night }, { inhibitRules: rules });
    await f.report([down]);
    await f.report([change({ severity: 'critical' })]);
    await f.report([updated('critical')]);
    await f.report([{ ...down, status: 'resolved' }]);
    expect(seen(f.sent)).toEqual(['send m1 firing']);
  });

  it('by a broader alert that began meanwhile, which is looked at again every five minutes', async () => {
    const f = await ownPipeline({ inhibitRules: rules });
    const quietHours = { ...night, to: '00:10' };
    await f.subscribe({ kinds: ['funding-extreme'], quietHours });
    await f.report([change()]);
    await f.report([down]);
    await f.skip(10 * minute);
    const [waiting] = await f.store.deliveries.waiting(receiver(), 5);
    expect(Math.floor(((waiting?.due ?? 0) - start) / minute)).toBe(15);
    expect(f.sent).toEqual([]);
  });

  it('by a broader alert, and sent when that eases below the level that holds it back', async () => {
    const f = await subscribed({ kinds: ['funding-extreme'] }, { inhibitRules: rules });
    await f.report([down]);
    await f.report([change({ severity: 'critical' })]);
    await f.report([{ ...down, status: 'updated' }]);
    expect(f.sent).toEqual([]);
    await f.report([{ ...down, status: 'updated', severity: 'warning' }]);
    expect(titles(f.sent)).toEqual(['BTCUSDT funding-extreme']);
    expect(await f.store.alerts.heldBack(start)).toEqual([]);
  });

  it.each([
    ['removed', []],
    ['narrowed to other alerts', rules.map((rule) => ({ ...rule, holds: ['oi-momentum'] }))],
  ])('by a broader alert, and sent when its detector looks again after the rule is %s', async (_, left) => {
    const inhibitRules = [...rules];
    const f = await subscribed({ kinds: ['funding-extreme'] }, { inhibitRules });
    await f.report([down]);
    await f.report([change()]);
    const look = () => f.report([], 0, 'funding-extreme');
    await look();
    expect(f.sent).toEqual([]);
    inhibitRules.splice(0, 1, ...left);
    await look();
    await look();
    expect(seen(f.sent)).toEqual(['send m1 firing']);
  });

  it('by a broader alert that is itself held back, and sent when that ends', async () => {
    const above = { by: { kind: 'data-blind', minSeverity: 'info' as const }, holds: ['data-quality'] };
    const f = await subscribed({ kinds: ['funding-extreme'] }, { inhibitRules: [...rules, above] });
    await f.report([change({ kind: 'data-blind' })]);
    await f.report([down]);
    await f.report([change()]);
    expect(f.sent).toEqual([]);
    await f.report([{ ...down, status: 'resolved' }]);
    expect(titles(f.sent)).toEqual(['BTCUSDT funding-extreme']);
  });

  it('by a broader alert, and listed once as held back, even after both have ended', async () => {
    const f = await ownPipeline({ inhibitRules: rules });
    for (const name of [1, 2, 3]) await f.subscribe({ receiver: receiver(name) });
    await f.report([down]);
    await f.report([change()]);
    await f.skip(minute);
    await f.report([change({ status: 'resolved' })]);
    await f.report([{ ...down, status: 'resolved' }]);
    await f.report([down]);
    const held = async (since: number) =>
      (await f.store.alerts.heldBack(since)).map(({ alert, by }) => [
        alert.annotations.title,
        alert.status,
        by,
      ]);
    expect(await held(start)).toEqual([['BTCUSDT funding-extreme', 'resolved', 'Data is down']]);
    expect(await held(start + hour)).toEqual([]);
  });

  it('by a broader alert for good, if it ends before that does', async () => {
    const f = await subscribed({ kinds: ['funding-extreme'] }, { inhibitRules: rules });
    await f.report([down]);
    await f.report([change()]);
    await f.report([change({ status: 'resolved' })]);
    await f.report([{ ...down, status: 'resolved' }]);
    expect(f.sent).toEqual([]);
  });

  it('by a broader alert only if it was not sent before: a sent alert is still resolved', async () => {
    const f = await subscribed({ kinds: ['funding-extreme'] }, { inhibitRules: rules });
    await f.report([change()]);
    await f.report([down]);
    await f.report([change({ status: 'resolved' })]);
    expect(seen(f.sent)).toEqual(['send m1 firing', 'edit m1 resolved']);
  });

  it('when it is too old to be sent', async () => {
    const { sent, connection, state } = switchable();
    state.away = true;
    const f = await subscribed({}, { connection, expireAfter: hour });
    await f.report([change()]);
    await f.skip(hour);
    state.away = false;
    await f.skip(10 * minute);
    expect(sent).toEqual([]);
    expect(await f.outcomes()).toEqual(['suppressed: expired']);
  });
});

describe('a platform that', () => {
  const away = new DeliveryError({ kind: 'unavailable', accepted: 'no' }, '503');
  const unheard = new DeliveryError({ kind: 'unavailable', accepted: 'unknown' }, 'reset');
  const refusal = new DeliveryError({ kind: 'rejected' }, 'too long');

  it.each([
    ['cannot be reached is tried again, and gets one message', [away], ['send m1 firing'], 'sent'],
    [
      'may have received a message gets it again, and the log says possibly doubled',
      [unheard],
      ['send m1 firing'],
      'sent: possibly doubled',
    ],
    [
      'may have received a message that is refused when it comes again, and the log says so',
      [unheard, refusal],
      [],
      'failed: too long; possibly doubled',
    ],
    ['refuses a message for good is not tried again', [refusal], [], 'failed: too long'],
  ])('%s', async (_, answers, messages, outcome) => {
    const { sent, connection } = answering(...answers);
    const f = await subscribed({}, { connection });
    await f.report([change()]);
    await f.clock.advance(2 * second);
    await f.skip(hour);
    expect(seen(sent)).toEqual(messages);
    expect(await f.outcomes()).toEqual([outcome]);
  });

  it('responds with 429 gets nothing for the time it asks, and then the message', async () => {
    const { sent, connection } = answering(
      new DeliveryError({ kind: 'rate_limited', retryAfter: 5_000 }, '429'),
    );
    const f = await subscribed({}, { connection });
    await f.report([change()]);
    await f.clock.advance(4_900);
    expect(sent).toEqual([]);
    await f.clock.advance(400);
    expect(seen(sent)).toEqual(['send m1 firing']);
  });

  it('holds one receiver back delays no other receiver', async () => {
    const { sent, connection } = recorder(({ room }) => {
      if (room === 'a') throw new DeliveryError({ kind: 'rate_limited', retryAfter: hour }, '429');
    });
    const f = await subscribed({ receiver: receiver('a') }, { connection });
    await f.subscribe({ receiver: receiver('b') });
    await f.report([change()]);
    expect(sent.map(({ room }) => room)).toEqual(['b']);
  });

  it('gets the same idempotency key at every attempt, and a new key for the next post', async () => {
    const ids: string[] = [];
    let calls = 0;
    const { connection } = recorder(({ notification }) => {
      ids.push(notification.id);
      if (++calls === 1) throw unheard;
    });
    const f = await subscribed({}, { connection });
    await f.report([change()]);
    await f.clock.advance(2 * second);
    await f.report([change({ status: 'updated', severity: 'critical' })]);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[1]);
    expect(ids[0]?.length).toBeLessThanOrEqual(25);
  });

  it('may have received a message gets its next version under the same id', async () => {
    const attempts: string[] = [];
    const { connection } = recorder(({ notification: { id, version, card } }) => {
      attempts.push(`${id} ${version} ${card.status}`);
      if (attempts.length < 3) throw unheard;
    });
    const f = await subscribed({}, { connection });
    await f.report([change()]);
    await f.clock.advance(second);
    await f.report([change({ status: 'resolved' })]);
    await f.clock.advance(10 * second);
    const [first, again, newer] = attempts.map((attempt) => attempt.split(' '));
    expect(again).toEqual(first);
    expect(newer).toEqual([first?.[0], expect.not.stringMatching(`^${first?.[1]}$`), 'ended']);
  });

  it('says the receiver is gone ends its subscriptions', async () => {
    const { connection } = answering(new DeliveryError({ kind: 'gone' }, 'chat not found'));
    const f = await subscribed({}, { connection });
    await f.report([change()]);
    expect(await f.store.subscriptions.of(receiver())).toEqual([]);
    expect(await f.outcomes()).toEqual(['failed: chat not found']);
  });

  it('takes away the right to post suspends everything of a place until the right is given back', async () => {
    let barred = true;
    const { sent, connection } = recorder(() => {
      if (barred) throw new DeliveryError({ kind: 'barred' }, 'no permission');
    });
    const f = await subscribed({}, { connection });
    await f.store.rules.add(rule({ receiver: receiver() }));
    await f.report([change()]);
    await f.report([change({ symbol: 'ETHUSDT' })]);
    await f.skip(hour);
    expect(sent).toEqual([]);
    expect(await f.store.subscriptions.of(receiver())).toHaveLength(1);
    expect(await f.store.rules.of(receiver())).toHaveLength(1);
    const audited = (await f.store.audit.of(receiver(), 5)).map(({ what }) => say(what, plainReader));
    expect(audited).toEqual([expect.stringContaining('no permission')]);

    barred = false;
    await f.store.receivers.wake([receiver()], f.clock.now());
    await f.report([change({ symbol: 'SOLUSDT' })]);
    await f.clock.advance(second);
    expect(sent.map(({ notification }) => notification.card.title.split(' ')[0])).toContain('SOLUSDT');
  });

  it('says the receiver has moved gets later posts at the new address, with the subscriptions', async () => {
    const { sent, connection } = answering(new DeliveryError({ kind: 'moved', to: { room: 'b' } }, 'moved'));
    const f = await subscribed({}, { connection });
    await f.report([change()]);
    await f.clock.advance(second);
    expect(sent.map(({ room }) => room)).toEqual(['b']);
    expect(await f.store.subscriptions.of(receiver('b'))).toHaveLength(1);
  });
});

it('messages to one receiver keep their order', async () => {
  const f = await subscribed();
  const symbols = Array.from({ length: 20 }, (_, n) => `S${n}USDT`);
  await f.report(symbols.map((symbol) => change({ symbol })));
  await f.clock.advance(second);
  expect(f.sent.map(({ notification }) => notification.card.title.split(' ')[0])).toEqual(symbols);
});

it('urgent messages are sent before routine ones', async () => {
  const { sent, connection } = answering(
    new DeliveryError({ kind: 'rate_limited', retryAfter: 5_000 }, '429'),
  );
  const f = await subscribed({}, { connection });
  await f.report([change({ symbol: 'AUSDT' })]);
  await f.report([change({ symbol: 'BUSDT' }), change({ symbol: 'CUSDT', severity: 'critical' })]);
  await f.clock.advance(6_000);
  expect(sent.map(({ notification }) => notification.card.title[0])).toEqual(['C', 'A', 'B']);
});
