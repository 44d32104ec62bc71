import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { Severity } from '#src/alert/alert.ts';
import { DeliveryError } from '#src/language/errors.ts';
import { enqueue } from '#src/pipeline/enqueue.ts';
import { createExpansion } from '#src/pipeline/expand.ts';
import { route } from '#src/pipeline/route.ts';
import { Stages } from '#src/pipeline/stage.ts';
import { createPace } from '#src/runtime/pace.ts';
import { hour, second } from '#src/runtime/units.ts';
import { change, firing, receiver, start, subscription } from '#test/support/alerts.ts';
import { fakeClock } from '#test/support/clock.ts';
import { ownPipeline, subscribed } from '#test/support/own-pipeline.ts';
import { ownStore } from '#test/support/own-store.ts';
import { outcomeOf, recorder } from '#test/support/pipeline.ts';
import { enqueued } from '#test/support/posting.ts';

const receivers = Array.from({ length: 30 }, (_, n) => receiver(n));
const symbols = Array.from({ length: 12 }, (_, n) => `S${n}USDT`);

it('a group is posted only after all alerts of one observation are enqueued for its receiver', async () => {
  // Market time runs fast, as at 240 ×: the group is due before its first page is enqueued.
  let time = start;
  const now = () => {
    time += 10 * second;
    return time;
  };
  const f = await ownPipeline({ pageSize: 24, now });
  for (const each of receivers) await f.subscribe({ receiver: each });
  const burst = symbols.map((symbol) => change({ symbol }));
  await f.report(burst, 1);
  await f.clock.advance(10 * second);
  expect(f.sent).toHaveLength(receivers.length);
  for (const { notification } of f.sent) expect(notification.card.table?.rows).toHaveLength(12);
});

it('a critical alert is expanded before ten routine ones that are half done', async () => {
  const store = await ownStore();
  for (const each of receivers) await store.subscriptions.add(subscription({ receiver: each }));
  const handed: string[] = [];
  const turn = createExpansion(store, {
    handOn: async (dispatches) => {
      const context = { store, pageSize: 10, now: start, universe: [] };
      handed.push(...dispatches.map(({ alert }) => alert.labels.symbol ?? ''));
      await Stages.begin(route).next(enqueue).run(dispatches, { context });
    },
    steady: fakeClock(start),
    log: pino({ level: 'silent' }),
  });
  const announce = (symbol: string, severity: Severity) =>
    store.dispatch(async (unit) => {
      const alert = firing({ symbol, severity });
      const kept = { alert, group: alert.id, due: start, heldBy: null };
      await unit.save(kept);
      await unit.announce(kept);
    });
  for (const symbol of symbols.slice(0, 10)) await announce(symbol, 'warning');
  await turn();
  await announce('NOW', 'critical');
  for (let page = 0; page < 4; page += 1) await turn();
  expect(handed).toEqual(['S0USDT', 'NOW', 'NOW', 'NOW', 'NOW']);
  await turn();
  expect(handed.at(-1)).toBe('S0USDT');
});

it('messages for a platform that is not set up fail once they are too old to send', async () => {
  const f = await ownPipeline({ expireAfter: hour });
  await enqueued(f.store, firing(), receiver('a', 'pager'));
  await f.skip(hour);
  await f.clock.advance(120 * second);
  expect((await f.store.outbox.backlog()).waiting).toBe(0);
  const rows = await f.store.deliveries.recent(receiver('a', 'pager'), 5);
  expect(rows.map(outcomeOf)).toEqual(['failed: its platform is not set up']);
});

it('a failed dispatch is retried at once instead of at the detector’s next schedule', async () => {
  const locked = Object.assign(new Error('database is locked'), { errcode: 5 });
  const f = await subscribed();
  let failures = 3;
  const prediction = () => {
    if (failures-- > 0) throw locked;
    return null;
  };
  const named = { name: 'test', groupWait: 0, prediction };
  const kept = f.pipeline.dispatch(named, { state: {}, changes: [change()] });
  await f.clock.advance(3 * second);
  await kept;
  await f.clock.advance(1);
  expect(f.sent).toHaveLength(1);
});

it('an end sent in place of an unconfirmed reply makes no sound and is logged as possibly doubled', async () => {
  const f = await subscribed();
  await f.report([change()]);
  const critical = change({ status: 'updated', severity: 'critical' });
  await f.kill(async () => {
    await f.store.sending.pause({ by: 'op', at: start });
    await f.report([critical]);
    await f.store.sending.resume();
    await f.clock.advance(second);
    await f.store.sending.pause({ by: 'op', at: start });
  });
  await f.report([change({ status: 'resolved', severity: 'critical' })]);
  await f.store.sending.resume();
  await f.clock.advance(5 * second);
  const answer = f.sent.findLast(({ act }) => act === 'send');
  expect(answer?.notification).toMatchObject({ loud: false, card: { status: 'resolved' } });
  expect(await f.outcomes()).toContain('sent: possibly doubled');
});

it.each([
  { editPosts: true, outcome: 'edited: possibly doubled' },
  { editPosts: false, outcome: 'edited' },
])(
  'an end in progress at a kill is logged as doubtful only if it is a message: $editPosts',
  async (given) => {
    const { connection } = recorder();
    const f = await subscribed({}, { connection: { ...connection, editPosts: () => given.editPosts } });
    await f.report([change()]);
    await f.kill(async () => f.report([change({ status: 'resolved' })]));
    expect(await f.outcomes()).toEqual([given.outcome, 'sent']);
  },
);

/** A platform on which every message is deleted as soon as it is there. */
const deleting = (respond?: Parameters<typeof recorder>[0]) => {
  const platform = recorder(respond);
  return { ...platform, connection: { ...platform.connection, edit: async () => null } };
};

it('an update of a deleted message is posted anew, silently, and the next one in its place', async () => {
  const { connection, sent } = deleting();
  const f = await subscribed({ symbols: ['BTCUSDT'] }, { connection });
  await f.report([change()]);
  await f.report([change({ status: 'updated' })]);
  await f.report([change({ status: 'resolved' })]);
  expect(sent.map(({ notification }) => notification.loud)).toEqual([true, false, false]);
  expect(sent.map(({ notification }) => notification.replyTo)).toEqual([undefined, undefined, undefined]);
  expect(await f.outcomes()).toEqual(['edited', 'edited', 'sent']);
});

it('a message posted anew at a kill comes again without a sound, and is logged as possibly doubled', async () => {
  const { connection, sent } = deleting();
  const f = await subscribed({ symbols: ['BTCUSDT'] }, { connection });
  await f.report([change()]);
  await f.kill(async () => f.report([change({ status: 'updated' })]));
  expect(sent.map(({ notification }) => [notification.loud, notification.doubt])).toEqual([
    [true, false],
    [false, false],
    [false, true],
  ]);
  const last = sent.at(-1)?.notification.card.summary;
  expect(last).toMatch(/\nMay be a repeat: an earlier message may have arrived\.$/);
  expect(await f.outcomes()).toEqual(['edited: possibly doubled', 'sent']);
});

it('a message posted anew waits for its turn at the pace', async () => {
  const clock = fakeClock(start);
  const { connection, sent } = deleting();
  const pace = createPace({ perAddress: [{ per: 90 * second, max: 2 }] }, clock);
  const outlets = [{ name: 'web', connection, concurrency: 8, pace }];
  const f = await subscribed({}, { outlets, clock });
  await f.report([change()]);
  await f.report([change({ status: 'updated' })]);
  await f.clock.advance(80 * second);
  expect(sent).toHaveLength(1);
  await f.clock.advance(60 * second);
  expect(sent).toHaveLength(2);
});

it.each([
  { accepted: 'unknown', outcome: 'edited: possibly doubled' },
  { accepted: 'no', outcome: 'edited' },
] as const)('a message posted anew that may have arrived ($accepted) is in doubt', async (given) => {
  const attempts: boolean[] = [];
  const { connection } = deleting(({ notification }) => {
    attempts.push(notification.doubt);
    if (attempts.length !== 2) return;
    throw new DeliveryError({ kind: 'unavailable', accepted: given.accepted }, 'no answer');
  });
  const f = await subscribed({ symbols: ['BTCUSDT'] }, { connection });
  await f.report([change()]);
  await f.report([change({ status: 'updated' })]);
  await f.clock.advance(5 * second);
  expect(attempts).toEqual([false, false, given.accepted === 'unknown']);
  expect(await f.outcomes()).toEqual([given.outcome, 'sent']);
});

it.each([
  { found: undefined, outcome: 'sent: possibly doubled' },
  { found: null, outcome: 'sent' },
])('a post that was looked for is possibly doubled if that cannot be known: $found', async (given) => {
  const { connection, sent } = recorder();
  const f = await subscribed({}, { connection: { ...connection, find: async () => given.found } });
  await f.kill(async () => f.report([change()]));
  await f.clock.advance(second);
  expect(sent).toHaveLength(2);
  // Whoever reads it is told, and not the log alone.
  const saysSo = sent.map(({ notification: { card } }) => card.summary?.includes('May be a repeat') === true);
  expect(saysSo).toEqual([false, given.found === undefined]);
  expect(await f.outcomes()).toEqual([given.outcome]);
});

it.each(['send', 'edit', 'find'] as const)(
  'a message for which the pace left no turn within an attempt is sent later, however often: %s',
  async (act) => {
    const { connection, sent } = recorder();
    let refusals = 0;
    const late = async () => {
      if (refusals++ < 5) throw AbortSignal.timeout(0).reason ?? new DOMException('late', 'TimeoutError');
    };
    const f = await subscribed(
      {},
      {
        connection: {
          async send(...given) {
            if (act === 'send') await late();
            return connection.send(...given);
          },
          async edit(...given) {
            if (act === 'edit') await late();
            return (await connection.edit?.(...given)) ?? null;
          },
          ...(act === 'find' && {
            async find() {
              await late();
              return null;
            },
          }),
        },
      },
    );
    if (act === 'find') await f.kill(async () => f.report([change()]));
    else await f.report([change()]);
    await f.clock.advance(10 * second);
    await f.report([change({ status: 'resolved' })]);
    await f.clock.advance(10 * second);
    expect(refusals).toBeGreaterThan(5);
    expect(await f.outcomes()).toEqual(['edited', 'sent']);
    expect(sent.at(-1)?.notification.card.status).toBe('resolved');
  },
);

it('changes stored by a commit whose response was lost are not stored again', async () => {
  const f = await subscribed();
  const clock = fakeClock(start);
  let answers = 0;
  const unanswered: typeof f.store = {
    ...f.store,
    async dispatch(work) {
      const result = await f.store.dispatch(work);
      answers += 1;
      if (answers === 1) throw Object.assign(new Error('Connection terminated'), { code: 'ECONNRESET' });
      return result;
    },
  };
  const other = await ownPipeline({ store: unanswered, clock });
  const given = { state: { n: 1 }, changes: [change()] };
  const kept = other.pipeline.dispatch({ name: 'test', groupWait: 0 }, given);
  await clock.advance(3 * second);
  await kept;
  expect([answers, (await f.store.alerts.recent(5)).map(({ revision }) => revision)]).toEqual([2, [1]]);
});
