import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Card, toneOf } from '#src/card/card.ts';
import { DeliveryError } from '#src/language/errors.ts';
import type { Connection } from '#src/platforms/notifier.ts';
import { hour, minute, second } from '#src/runtime/units.ts';
import { change, receiver, silence, start } from '#test/support/alerts.ts';
import { ownPipeline, subscribed } from '#test/support/own-pipeline.ts';
import { outcomeOf, type PipelineFixture, pipelineFixture, recorder } from '#test/support/pipeline.ts';

/** A platform like Discord: a doubtful message is found by its id, and every message shows its latest version. */
function board() {
  const shown: { readonly id: string; card: Card<string> }[] = [];
  let reachable = true;
  let editable = true;
  const answer = (able = true) => {
    if (!reachable || !able) throw new DeliveryError({ kind: 'unavailable', accepted: 'no' }, '503');
  };
  const connection: Connection = {
    async find({ id }) {
      answer();
      const at = shown.findIndex((each) => each.id === id);
      return at < 0 ? null : String(at);
    },
    async send({ id, card, doubt }) {
      answer();
      const earlier = doubt ? shown.findIndex((each) => each.id === id) : -1;
      if (earlier < 0) return String(shown.push({ id, card }) - 1);
      Object.assign(shown[earlier] ?? {}, { card });
      return String(earlier);
    },
    async edit(reference, { notification: { card } }) {
      answer(editable);
      Object.assign(shown[Number(reference)] ?? {}, { card });
      return reference;
    },
    link: (reference) => `https://board.test/${reference}`,
  };
  return {
    connection,
    shown: () => shown.map(({ card }) => card),
    active: () => shown.filter(({ card: { status } }) => status === 'firing' || status === 'updated').length,
    reach(now: boolean) {
      reachable = now;
    },
    takeEdits(now: boolean) {
      editable = now;
    },
  };
}

/** Messages left behind by a killed process are looked for once a minute. */
const settled = minute + 5 * second;

const isEnded = ({ status, title }: Card<string>) =>
  status === 'resolved' || status === 'ended' || title.startsWith('Continued in a newer message');

const escalation = change({ status: 'updated', severity: 'critical' });

describe('every post comes to an end', () => {
  test('a post that an escalation replaced is edited to one line that links to the new post', async () => {
    const { connection, shown } = board();
    const f = await subscribed({}, { connection });
    await f.report([change()]);
    await f.report([escalation]);
    await f.clock.advance(second);
    expect(shown()).toMatchObject([
      { title: 'Continued in a newer message: BTCUSDT funding-extreme', url: 'https://board.test/1' },
      { title: 'BTCUSDT funding-extreme', status: 'updated', severity: 'critical' },
    ]);
    const parts = Object.entries(shown()[0] ?? {}).filter(([, part]) => part !== undefined);
    expect(parts.map(([name]) => name).sort()).toEqual(['reader', 'source', 'title', 'url']);
  });

  test('a post whose reference an edit has changed, as of a text that became a photo, is not replaced by itself', async () => {
    const { connection, shown } = board();
    const f = await subscribed(
      {},
      {
        connection: {
          ...connection,
          async edit(reference, given) {
            await connection.edit?.(reference.replace('photo ', ''), given);
            return `photo ${reference.replace('photo ', '')}`;
          },
          isSameMessage: (one, other) => one.replace('photo ', '') === other.replace('photo ', ''),
        },
      },
    );
    await f.report([change()]);
    await f.report([change({ status: 'resolved' })]);
    await f.clock.advance(settled);
    expect(shown()).toMatchObject([{ title: 'BTCUSDT funding-extreme', status: 'resolved' }]);
  });

  test.each([
    ['before the reply is kept', true],
    ['behind it, before the old post is edited', false],
  ])(
    'even if the process is killed between posting the reply and editing the old post: %s',
    async (_, early) => {
      const { connection, shown, takeEdits } = board();
      const f = await subscribed({}, { connection });
      await f.report([change()]);
      const escalate = () => f.report([escalation]);
      takeEdits(false);
      if (!early) await escalate();
      await f.kill(early ? escalate : async () => {});
      takeEdits(true);
      await f.clock.advance(minute);
      expect(shown().map(({ title, status }) => [title.split(':')[0], status])).toEqual([
        ['Continued in a newer message', undefined],
        ['BTCUSDT funding-extreme', 'updated'],
      ]);
    },
  );

  test.each([
    ['one place, as on ntfy', true],
    ['another each, as in Telegram', false],
  ])(
    'even a reply that may not have arrived is ended, where posts with one id take %s',
    async (_, replaces) => {
      const { connection, shown, reach } = board();
      const { find: _found, send, ...rest } = connection;
      const f = await subscribed(
        {},
        {
          connection: {
            ...rest,
            send: (notification, given) => send({ ...notification, doubt: replaces }, given),
          },
        },
      );
      await f.report([change()]);
      await f.kill(async () => {
        await f.report([escalation]);
        reach(false);
      });
      await f.report([change({ status: 'resolved' })]);
      reach(true);
      await f.clock.advance(minute);
      expect(shown().at(-1)).toMatchObject({ status: 'resolved' });
      expect(isEnded(shown()[0] ?? { title: '' })).toBe(true);
      expect(shown()).toHaveLength(replaces ? 2 : 3);
    },
  );

  test('several escalations during an outage leave exactly one post that says firing', async () => {
    const { connection, shown, active, reach } = board();
    const f = await subscribed({}, { connection });
    await f.report([change({ severity: 'info' })]);
    await f.report([change({ status: 'updated' })]);
    reach(false);
    await f.clock.advance(second);
    await f.report([escalation]);
    reach(true);
    await f.clock.advance(minute);
    expect(active()).toBe(1);
    expect(shown().at(-1)).toMatchObject({ status: 'updated', severity: 'critical' });
  });

  test('a failed edit of the old post to a link is given up and does not affect its place', async () => {
    const { connection, shown } = board();
    const { edit, ...rest } = connection;
    const refusing: Connection = {
      ...rest,
      async edit(reference, { notification, address, signal }) {
        if (notification.onlyEdit) throw new DeliveryError({ kind: 'rejected' }, 'deleted');
        return (await edit?.(reference, { notification, address, signal })) ?? reference;
      },
    };
    const f = await subscribed({}, { connection: refusing });
    await f.report([change()]);
    await f.report([escalation]);
    await f.clock.advance(second);
    await f.report([change({ symbol: 'ETHUSDT' })]);
    expect(shown().map(({ title }) => title)).toContain('ETHUSDT funding-extreme');
    expect(await f.store.deliveries.missed(receiver(), { since: start, limit: 9 })).toEqual([]);
    expect((await f.store.outbox.backlog()).waiting).toBe(0);
  });

  test('even if nobody there is subscribed any more, or the place was resting when the alert ended', async () => {
    const { connection, active } = board();
    const f = await ownPipeline({ connection });
    const [left, away] = [receiver('left'), receiver('away')];
    const { id } = await f.subscribe({ receiver: left });
    await f.subscribe({ receiver: away });
    await f.report([change()]);
    await f.store.subscriptions.remove(id, left);
    await f.store.receivers.suspend([away], { at: start, wall: start, reason: 'removed' });
    await f.skip(minute);
    await f.report([change({ status: 'resolved' })]);
    await f.clock.advance(2 * minute);
    expect(active()).toBe(1);
    await f.store.receivers.wake([away], start + hour);
    await f.clock.advance(2 * minute);
    expect(active()).toBe(0);
  });
});

test('a reply posted by a killed process is ended too, even if its alert has ended since', async () => {
  const { connection, shown } = board();
  const f = await subscribed({}, { connection });
  await f.report([change()]);
  await f.kill(async () => {
    await f.report([escalation]);
    await f.report([change({ status: 'resolved' })]);
  });
  await f.clock.advance(settled);
  expect(shown().every(isEnded)).toBe(true);
  expect(shown()).toHaveLength(2);
});

test('a message posted by a killed process is ended too, even if its place has unsubscribed since', async () => {
  const { connection, shown } = board();
  const f = await subscribed({}, { connection });
  await f.kill(async () => {
    await f.report([change()]);
    for (const { id } of await f.store.subscriptions.of(receiver()))
      await f.store.subscriptions.remove(id, receiver());
  });
  await f.report([change({ status: 'resolved' })]);
  await f.clock.advance(settled);
  expect(shown()).toMatchObject([{ status: 'resolved' }]);
});

describe('a message that a killed process may have posted is looked for before anything is decided:', () => {
  const night = { from: '23:00', to: '07:00', timeZone: 'UTC' };
  const down = change({ kind: 'data-quality', severity: 'critical' });
  const inhibitRules = [
    { by: { kind: 'data-quality', minSeverity: 'critical' as const }, holds: ['funding-extreme'] },
  ];
  type Meanwhile = (given: PipelineFixture) => Promise<unknown>;

  test.each<[string, Meanwhile]>([
    ['silenced', ({ store }) => store.silences.add(silence())],
    [
      'with quiet hours',
      async ({ store }) => {
        const [one] = await store.subscriptions.of(receiver());
        if (one !== undefined) await store.subscriptions.update({ ...one, quietHours: night });
      },
    ],
    ['held back by a broader alert', ({ report }) => report([down])],
    ['too old', ({ skip }) => skip(48 * hour)],
  ])('one that was posted is ended although the alert is now %s', async (_, meanwhile) => {
    const { connection, shown } = board();
    const f = await subscribed({ kinds: ['funding-extreme'] }, { connection, inhibitRules });
    await f.kill(async () => {
      await f.report([change()]);
      await meanwhile(f);
    });
    await f.report([change({ status: 'resolved' })]);
    await f.clock.advance(settled);
    expect(shown()).toMatchObject([{ status: 'resolved' }]);
    const log = await f.store.deliveries.recent(receiver(), 9);
    expect(log.map(({ outcome }) => outcome)).toContain('sent');
  });

  test.each([
    ['that never arrived', null, 'silenced'],
    ['of which the platform cannot tell', undefined, 'possibly_doubled'],
  ] as const)('one %s is decided again: it is not sent if it is now silenced', async (_, found, noted) => {
    let attempts = 0;
    const { connection } = recorder(() => {
      attempts += 1;
      throw new DeliveryError({ kind: 'unavailable', accepted: 'unknown' }, 'reset');
    });
    const f = await subscribed({}, { connection: { ...connection, find: async () => found } });
    await f.report([change()]);
    await f.store.silences.add(silence());
    await f.clock.advance(minute);
    expect(attempts).toBe(1);
    const log = await f.store.deliveries.recent(receiver(), 9);
    expect(log.map(({ outcome, reason }) => [outcome, reason?.code])).toEqual([['suppressed', noted]]);
  });

  test('where posts cannot be looked for, the log says that one that is now silenced may have arrived', async () => {
    const { connection } = recorder(() => {
      throw new DeliveryError({ kind: 'unavailable', accepted: 'unknown' }, 'reset');
    });
    const f = await subscribed({}, { connection });
    await f.report([change()]);
    await f.store.silences.add(silence());
    await f.clock.advance(minute);
    const log = await f.store.deliveries.recent(receiver(), 9);
    expect(log.map(outcomeOf)).toEqual([expect.stringMatching(/^suppressed: silenced.*; possibly doubled$/)]);
  });
});

describe('the end never overwrites the event', () => {
  const said = (title: string, summary: string, prominence = 0) => ({
    annotations: { title, summary, facts: [{ name: 'Markets', value: title }], prominence, dataTime: start },
  });

  test('title and facts keep the peak; the summary begins with the duration and how it ended', async () => {
    const { connection, shown } = board();
    const f = await subscribed({}, { connection });
    await f.report([change(said('12 markets', 'It begins.', 12))]);
    await f.report([change({ ...said('27 markets', 'It spreads.', 27), status: 'updated' })]);
    await f.report([change({ ...said('9 markets', 'It eases.', 9), status: 'updated', severity: 'info' })]);
    await f.skip(14 * minute - second);
    await f.report([change({ ...said('Cascade over', 'Back to normal.'), status: 'resolved' })]);
    expect(shown()).toMatchObject([
      {
        title: '27 markets',
        summary: 'Resolved after 14 min: Cascade over.\nBack to normal.',
        facts: [
          { name: 'Figures', value: 'from the peak of the alert' },
          { name: 'Markets', value: '27 markets' },
        ],
        status: 'resolved',
      },
    ]);
    expect(await f.store.alerts.recent(1)).toMatchObject([{ annotations: { title: '27 markets' } }]);
  });
});

describe('after any sequence of events and kills', () => {
  const step = fc.oneof(
    fc.record({ act: fc.constant('fire' as const), symbol: fc.nat(3), burst: fc.nat(2) }),
    fc.record({
      act: fc.constantFrom('escalate' as const, 'ease' as const, 'end' as const),
      symbol: fc.nat(3),
    }),
    fc.record({ act: fc.constant('wait' as const) }),
    fc.record({ act: fc.constant('unsubscribe' as const) }),
  );
  type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

  test('as many posts say firing as there are posts of open alerts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ step, killed: fc.boolean() }), { maxLength: 25 }),
        async (steps) => {
          const { connection, active, shown } = board();
          const f = await pipelineFixture({ connection });
          await f.subscribe();
          /** The post of each open alert, by symbol; null if nobody received it. */
          const open = new Map<number, string | null>();
          let subscribed = true;
          const doing = async (one: Step, at: number) => {
            if (one.act === 'wait') return f.skip(minute);
            if (one.act === 'unsubscribe') {
              // An alert that waits for its burst would not be sent after unsubscribing.
              await f.skip(minute);
              for (const each of await f.store.subscriptions.of(receiver()))
                await f.store.subscriptions.remove(each.id, receiver());
              subscribed = false;
              return;
            }
            const labels = { kind: 'funding-extreme', symbol: `S${one.symbol}` };
            if (one.act === 'fire' && !open.has(one.symbol)) {
              const burst = one.burst === 0 ? null : `b${one.burst}`;
              open.set(one.symbol, subscribed ? (burst ?? `own ${at}`) : null);
              await f.report([change({ labels, burst })], 30 * second);
            }
            if (one.act === 'fire' || !open.has(one.symbol)) return;
            const severity = one.act === 'escalate' ? ('critical' as const) : ('info' as const);
            await f.report([
              change({ labels, severity, status: one.act === 'end' ? 'resolved' : 'updated' }),
            ]);
            if (one.act === 'end') open.delete(one.symbol);
          };
          for (const [at, { step, killed }] of steps.entries()) {
            await f.skip(second);
            // No kill while unsubscribing: whether an alert that was just sent still gets its end would be undefined.
            if (killed && step.act !== 'unsubscribe') await f.kill(() => doing(step, at));
            else await doing(step, at);
          }
          await f.skip(minute);
          await f.clock.advance(settled);
          const posts = new Set([...open.values()].filter((group) => group !== null));
          const [seen, ended] = [active(), shown().filter(isEnded).length];
          await f.close();
          expect([seen, ended]).toEqual([posts.size, shown().length - posts.size]);
        },
      ),
      { numRuns: 12 },
    );
  });
});

describe('an end is green where its beginning was told, and it is known how it went', () => {
  const unknown = change({ status: 'resolved' });
  const lost = { ...unknown, annotations: { ...unknown.annotations, unknown: true as const } };
  const shownAfter = async (changes: Parameters<PipelineFixture['report']>[0][]) => {
    const { connection, shown } = board();
    const f = await subscribed({}, { connection });
    for (const each of changes) await f.report(each);
    await f.clock.advance(second);
    return shown().map((card) => [card.status, toneOf(card), card.summary?.split('.')[0]]);
  };

  test('green: told, and over', async () => {
    expect(await shownAfter([[change()], [change({ status: 'resolved' })]])).toEqual([
      ['resolved', 'resolved', 'Resolved after 0 s'],
    ]);
  });

  test('grey: its data is missing', async () => {
    expect(await shownAfter([[change()], [lost]])).toEqual([['ended', undefined, 'Ended after 0 s']]);
  });

  test('grey: over before it could be told', async () => {
    const { connection, shown, reach } = board();
    const f = await subscribed({}, { connection });
    reach(false);
    await f.report([change()]);
    await f.report([change({ status: 'resolved' })]);
    reach(true);
    await f.clock.advance(settled);
    expect(shown().map((card) => toneOf(card))).toEqual([undefined]);
  });
});
