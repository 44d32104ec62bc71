import { describe, expect, it } from 'vitest';
import type { Change } from '#src/alert/alert.ts';
import { DeliveryError } from '#src/language/errors.ts';
import type { Connection } from '#src/platforms/notifier.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import { change, receiver, start } from '#test/support/alerts.ts';
import { type ownPipeline, subscribed } from '#test/support/own-pipeline.ts';
import { outcomeOf, type PipelineFixture, recorder, type Sent } from '#test/support/pipeline.ts';

const started = (
  given: Parameters<typeof ownPipeline>[0] = {},
  wanted: Parameters<PipelineFixture['subscribe']>[0] = {},
) => subscribed(wanted, { budget: 2, ...given });

const market = (symbol: string, given: Parameters<typeof change>[0] = {}): Change =>
  change({ symbol, title: symbol, ...given });
const posts = (sent: readonly Sent[]) =>
  sent.filter(({ act }) => act === 'send').map(({ notification }) => String(notification.card.title));
const rows = (sent: readonly Sent[]) => sent.at(-1)?.notification.card.table?.rows.map(([title]) => title);

describe('a place with a budget of interrupting posts in any 24 h', () => {
  it('gets all further alerts in a digest at 08:00 of its time zone, the worst first', async () => {
    const f = await started();
    await f.store.preferences.set(receiver(), { timeZone: 'Asia/Tokyo' });
    for (const symbol of ['A', 'B', 'C']) await f.report([market(symbol, { severity: 'info' })]);
    await f.report([market('D')]);
    expect(posts(f.sent)).toEqual(['A', 'B']);
    // The next 08:00 in Tokyo is 23 h after `start`, which is 09:00 there.
    await f.skip(22 * hour);
    expect(posts(f.sent)).toEqual(['A', 'B']);
    await f.skip(hour);
    expect(posts(f.sent)).toEqual(['A', 'B', 'Digest: 2 alerts']);
    expect(rows(f.sent)).toEqual(['D', 'C']);
    expect(f.sent.at(-1)?.notification.card.summary).toContain('posts a day');
    expect(f.sent.at(-1)?.notification.loud).toBe(false);
  });

  it('gets a digest that says why it is one, although it was delayed by quiet hours and a failure', async () => {
    let failures = 1;
    const { sent, connection } = recorder(() => {
      if (failures-- > 0) throw new DeliveryError({ kind: 'unavailable', accepted: 'no' }, '503');
    });
    const quietHours = { from: '07:00', to: '09:00', timeZone: 'UTC' };
    const f = await started({ budget: 0, connection }, { quietHours });
    await f.report([market('A')]);
    await f.skip(8 * hour);
    expect(posts(sent)).toEqual([]);
    await f.skip(hour);
    await f.skip(minute);
    expect(posts(sent)).toEqual(['Digest: 1 alert']);
    expect(sent.at(-1)?.notification.card.summary).toContain('posts a day');
  });

  it('gets a digest that says how its alerts ended meanwhile, which is posted nowhere else', async () => {
    const f = await started({ budget: 0 });
    await f.report([market('A')]);
    await f.skip(hour);
    await f.report([market('A', { status: 'resolved' })]);
    await f.skip(7 * hour);
    expect(posts(f.sent)).toEqual(['Digest: 1 alert']);
    expect(f.sent.at(-1)?.notification.card.table?.rows[0]?.[2]).toBe('Resolved after 1 h');
  });

  it('may get another post 24 h after each counted one, whatever the calendar day', async () => {
    const f = await started({ budget: 1 });
    await f.report([market('A')]);
    await f.skip(20 * hour);
    await f.report([market('B')]);
    await f.skip(4 * hour);
    await f.report([market('C')]);
    expect(posts(f.sent)).toEqual(['A', 'C']);
  });

  it('gets edits for free, and an edit instead of a reply when the budget is used up', async () => {
    const f = await started({ budget: 1 });
    await f.report([market('A', { severity: 'info' })]);
    await f.report([market('A', { status: 'updated', severity: 'warning' })]);
    await f.report([market('A', { status: 'resolved' })]);
    expect(f.sent.map(({ act, reference }) => `${act} ${reference}`)).toEqual([
      'send m1',
      'edit m1',
      'edit m1',
    ]);
  });

  const exempt: [rule: string, reported: Change][] = [
    ['what is urgent', market('X', { severity: 'critical' })],
    ['what somebody asked for as their own', market('X', { only: receiver() })],
  ];
  it.each(exempt)('is told this beyond the budget, without counting it: %s', async (_, reported) => {
    const f = await started({ budget: 1 });
    await f.report([reported]);
    await f.report([market('A')]);
    await f.report([market('B')]);
    await f.report([{ ...reported, labels: { ...reported.labels, again: 'yes' } }]);
    expect(posts(f.sent)).toEqual(['X', 'A', 'X']);
  });

  it('is told beyond it in the digest alone that data is missing', async () => {
    const f = await started({ budget: 1 });
    await f.report([market('A')]);
    await f.report([change({ kind: 'data-blind', symbol: '', title: 'X' })]);
    expect(posts(f.sent)).toEqual(['A']);
    await f.skip(day);
    expect(posts(f.sent)).toEqual(['A', 'Digest: 1 alert']);
  });

  it('gets an alert of the digest at once if it becomes critical, and the digest then omits it', async () => {
    const f = await started({ budget: 0 });
    await f.report([market('A'), market('B')]);
    await f.report([market('A', { status: 'updated', severity: 'critical' })]);
    expect(posts(f.sent)).toEqual(['A']);
    await f.skip(day);
    expect(posts(f.sent)).toEqual(['A', 'Digest: 1 alert']);
    expect(rows(f.sent)).toEqual(['B']);
  });

  it('is not interrupted by digests that it subscribed to', async () => {
    const digest = { every: 'hour' as const, at: '', timeZone: 'UTC' };
    const f = await started({ budget: 1 }, { digest });
    await f.report([market('A')]);
    await f.skip(hour);
    await f.report([market('B')]);
    await f.skip(hour);
    expect(posts(f.sent)).toEqual(['Digest: 1 alert', 'Digest: 1 alert']);
  });
});

describe('what was posted with another clock', () => {
  it('counts for nothing after the clock is set back', async () => {
    const f = await started({ budget: 1 });
    await f.skip(30 * day);
    await f.report([market('A')]);
    await f.skip(-30 * day);
    await f.report([market('B')]);
    expect(posts(f.sent)).toEqual(['A', 'B']);
  });

  it('counts for nothing in another market, in which an alert that was open begins again', async () => {
    const f = await started({ budget: 1 });
    await f.store.market.bind('simulated', { now: start, speed: 1 });
    await f.report([market('A')]);
    await f.kill(async () => void (await f.store.market.bind('live', { now: start, speed: 1 })));
    await f.report([market('A')]);
    expect(posts(f.sent)).toEqual(['A', 'A']);
  });
});

describe('the size of the budget', () => {
  it('is chosen by each place; none means no limit', async () => {
    const f = await started();
    await f.subscribe({ receiver: receiver('b') });
    await f.store.preferences.set(receiver('a'), { budget: 1 });
    await f.store.preferences.set(receiver('b'), { budget: null });
    for (const symbol of ['A', 'B', 'C']) await f.report([market(symbol)]);
    const at = (room: string) => posts(f.sent.filter((one) => one.room === room));
    expect([at('a'), at('b')]).toEqual([['A'], ['A', 'B', 'C']]);
  });

  it('is unlimited where programs read the messages', async () => {
    const { sent, connection } = recorder();
    const f = await started({ budget: 1, machine: true, connection });
    for (const symbol of ['A', 'B']) await f.report([market(symbol)]);
    expect(posts(sent)).toEqual(['A', 'B']);
  });
});

describe('whenever the process is killed', () => {
  it('no alert is lost or sent twice, and the budget is not exceeded', async () => {
    const standing = new Map<string, string>();
    const { sent, connection } = recorder();
    const finding: Connection = {
      ...connection,
      find: async ({ id }) => standing.get(id) ?? null,
      async send(notification, { address, signal }) {
        const known = standing.get(notification.id);
        if (known !== undefined) return known;
        const reference = await connection.send(notification, { address, signal });
        standing.set(notification.id, reference);
        return reference;
      },
    };
    const f = await started({ connection: finding });
    for (const symbol of ['A', 'B', 'C', 'D']) await f.kill(async () => f.report([market(symbol)]));
    await f.skip(minute);
    expect(posts(sent)).toEqual(['A', 'B']);
    await f.kill(async () => f.skip(8 * hour));
    await f.skip(minute);
    expect(posts(sent)).toEqual(['A', 'B', 'Digest: 2 alerts']);
  });

  it('an alert that waits for the digest says why', async () => {
    const f = await started({ budget: 0 });
    await f.report([market('A')]);
    const [waiting] = await f.store.deliveries.waiting(receiver(), 10);
    expect(waiting).toMatchObject({ due: start + 8 * hour, reason: { code: 'over_budget' } });
    await f.report([market('A', { status: 'resolved' })]);
    expect((await f.store.deliveries.missed(receiver(), { since: start, limit: 10 })).map(outcomeOf)).toEqual(
      ['suppressed: its start was not sent here'],
    );
  });
});
