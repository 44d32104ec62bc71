import { afterEach, describe, expect, it } from 'vitest';
import type { Change } from '#src/alert/alert.ts';
import type { Connection } from '#src/platforms/notifier.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import { change, receiver, start, subscription } from '#test/support/alerts.ts';
import { outcomeOf, pipelineFixture, recorder, type Sent } from '#test/support/pipeline.ts';

type Fixture = Awaited<ReturnType<typeof pipelineFixture>>;
let open: Fixture[] = [];
afterEach(async () => {
  await Promise.all(open.map((one) => one.close()));
  open = [];
});
const started = async (
  given: Parameters<typeof pipelineFixture>[0] = {},
  wanted: Parameters<typeof subscription>[0] = {},
): Promise<Fixture> => {
  const one = await pipelineFixture({ budget: 2, ...given });
  open.push(one);
  await one.store.subscriptions.add(subscription(wanted));
  return one;
};

const market = (symbol: string, given: Parameters<typeof change>[0] = {}): Change =>
  change({ symbol, title: symbol, ...given });
const posts = (sent: readonly Sent[]) =>
  sent.filter(({ act }) => act === 'send').map(({ notification }) => String(notification.card.title));
const rows = (sent: readonly Sent[]) => sent.at(-1)?.notification.card.table?.rows.map(([title]) => title);

describe('at most so many posts in any 24 h interrupt a place', () => {
  it('and the rest are in a digest at eight by its clock, the worst first', async () => {
    const f = await started();
    await f.store.preferences.set(receiver(), { timeZone: 'Asia/Tokyo' });
    for (const symbol of ['A', 'B', 'C']) await f.report([market(symbol, { severity: 'info' })]);
    await f.report([market('D')]);
    expect(posts(f.sent)).toEqual(['A', 'B']);
    // Eight in Tokyo, the day before by UTC's: `start` is nine there.
    await f.skip(22 * hour);
    expect(posts(f.sent)).toEqual(['A', 'B']);
    await f.skip(hour);
    expect(posts(f.sent)).toEqual(['A', 'B', 'Digest: 2 alerts']);
    expect(rows(f.sent)).toEqual(['D', 'C']);
    expect(f.sent.at(-1)?.notification.card.summary).toContain('posts a day');
    expect(f.sent.at(-1)?.notification.loud).toBe(false);
  });

  it('and the digest says what became of them meanwhile, which is told nowhere else', async () => {
    const f = await started({ budget: 0 });
    await f.report([market('A')]);
    await f.skip(hour);
    await f.report([market('A', { status: 'resolved' })]);
    await f.skip(7 * hour);
    expect(posts(f.sent)).toEqual(['Digest: 1 alert']);
    expect(f.sent.at(-1)?.notification.card.table?.rows[0]?.[2]).toBe('Resolved after 1 h');
  });

  it('a post is free again 24 h after each, whatever the day', async () => {
    const f = await started({ budget: 1 });
    await f.report([market('A')]);
    await f.skip(20 * hour);
    await f.report([market('B')]);
    await f.skip(4 * hour);
    await f.report([market('C')]);
    expect(posts(f.sent)).toEqual(['A', 'C']);
  });

  it('of messages that live, edits cost nothing, and what would answer them is an edit', async () => {
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
    ['that data is missing', change({ kind: 'data-blind', symbol: '', title: 'X' })],
  ];
  it.each(exempt)('%s is told besides, and counts for nothing', async (_, reported) => {
    const f = await started({ budget: 1 });
    await f.report([reported]);
    await f.report([market('A')]);
    await f.report([market('B')]);
    await f.report([{ ...reported, labels: { ...reported.labels, again: 'yes' } }]);
    expect(posts(f.sent)).toEqual(['X', 'A', 'X']);
  });

  it('what gets urgent while it waits for the digest is told, and is no more in that', async () => {
    const f = await started({ budget: 0 });
    await f.report([market('A'), market('B')]);
    await f.report([market('A', { status: 'updated', severity: 'critical' })]);
    expect(posts(f.sent)).toEqual(['A']);
    await f.skip(day);
    expect(posts(f.sent)).toEqual(['A', 'Digest: 1 alert']);
    expect(rows(f.sent)).toEqual(['B']);
  });

  it('a digest that is asked for interrupts nobody', async () => {
    const digest = { every: 'hour' as const, at: '', timeZone: 'UTC' };
    const f = await started({ budget: 1 }, { digest });
    await f.report([market('A')]);
    await f.skip(hour);
    await f.report([market('B')]);
    await f.skip(hour);
    expect(posts(f.sent)).toEqual(['Digest: 1 alert', 'Digest: 1 alert']);
  });
});

describe('how many', () => {
  it('each place chooses, none being any number', async () => {
    const f = await started();
    await f.store.subscriptions.add(subscription({ receiver: receiver('b') }));
    await f.store.preferences.set(receiver('a'), { budget: 1 });
    await f.store.preferences.set(receiver('b'), { budget: null });
    for (const symbol of ['A', 'B', 'C']) await f.report([market(symbol)]);
    const at = (room: string) => posts(f.sent.filter((one) => one.room === room));
    expect([at('a'), at('b')]).toEqual([['A'], ['A', 'B', 'C']]);
  });

  it('where programs read it, any', async () => {
    const { sent, connection } = recorder();
    const f = await started({ budget: 1, machine: true, connection });
    for (const symbol of ['A', 'B']) await f.report([market(symbol)]);
    expect(posts(sent)).toEqual(['A', 'B']);
  });
});

describe('whenever the process is killed', () => {
  it('nothing is lost, nothing told twice, and no more is told than before', async () => {
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

  it('what waits says why', async () => {
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
