import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LivingBoard } from '#src/alert/living-board.ts';
import type { Card } from '#src/card/card.ts';
import { DeliveryError } from '#src/language/errors.ts';
import { startBoards } from '#src/pipeline/boards.ts';
import { openNotifier } from '#src/platforms/discord/notifier.ts';
import { options } from '#src/platforms/discord/options.ts';
import platform from '#src/platforms/discord/platform.ts';
import type { Connection } from '#src/platforms/notifier.ts';
import { steadyClock, wallClock } from '#src/runtime/clock.ts';
import { createPace } from '#src/runtime/pace.ts';
import { day, hour, minute, second } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import type { KeptBoard, Store } from '#src/store/ports.ts';
import { addresses } from '#test/support/addresses.ts';
import { start } from '#test/support/alerts.ts';
import { type FakeClock, fakeClock } from '#test/support/clock.ts';
import { type Discord, startDiscord } from '#test/support/discord/discord.ts';
import { ownFolder } from '#test/support/folder.ts';
import { notifierPorts } from '#test/support/ports.ts';

const receiver = { notifier: 'web', address: { room: 'main' } };
const wanted: Omit<LivingBoard, 'id'> = {
  receiver,
  line: 'market',
  form: 'message',
  daily: null,
  createdBy: 'me',
  createdAt: 0,
};

describe('a board', () => {
  let clock: FakeClock;
  let store: Store;
  let shown: Map<string, Card<string>>;
  let done: string[];
  let card: Card<string> | undefined;
  let failure: DeliveryError | undefined;
  let work: { stop(): Promise<void> };
  let ahead: number;
  let wrong: number;

  const connection: Connection = {
    async send({ card: sent }) {
      if (failure !== undefined) throw failure;
      const reference = `m${done.filter((each) => each.startsWith('send')).length + 1}`;
      done.push(`send ${sent.title}`);
      shown.set(reference, sent);
      return reference;
    },
    async edit(reference, { notification }) {
      if (failure !== undefined) throw failure;
      if (!shown.has(reference)) return null;
      done.push(`edit ${reference} ${notification.card.title}`);
      shown.set(reference, notification.card);
      return reference;
    },
    async pin(reference) {
      done.push(`pin ${reference}`);
    },
    async label(text, { as }) {
      done.push(`${as} ${text}`);
    },
  };
  const begin = () =>
    startBoards(
      { name: 'web', connection, concurrency: 8, pace: createPace({}, clock) },
      {
        boards: store.boardLog,
        draw: async () => card,
        heldRole: { lease: { name: 'x', token: 0 } as never, isHeld: () => true },
        now: () => clock.now() + ahead,
        wall: { ...clock, now: () => clock.now() + wrong },
        steady: clock,
        log: pino({ level: 'silent' }),
      },
    );
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= second) await clock.advance(Math.min(left, second));
  };

  beforeEach(async () => {
    clock = fakeClock(start);
    store = await openStore('file::memory:', { addresses });
    [shown, done, card, failure] = [new Map(), [], { title: 'BTC 42,000' }, undefined];
    [ahead, wrong] = [0, 0];
    work = begin();
  });
  afterEach(async () => {
    await work.stop();
    await store.close();
  });

  test('is posted once, pinned, and edited when what it shows has changed, at most every ten seconds', async () => {
    await store.boards.add(wanted);
    await pass(20 * second);
    expect(done).toEqual(['send BTC 42,000', 'pin m1']);
    for (let price = 42_001; price < 42_020; price += 1) {
      card = { title: `BTC ${price}` };
      await pass(2 * second);
    }
    const edits = done.filter((each) => each.startsWith('edit'));
    expect(edits.length).toBeGreaterThanOrEqual(3);
    expect(edits.length).toBeLessThanOrEqual(5);
    await pass(20 * second);
    expect(shown).toEqual(new Map([['m1', { title: 'BTC 42019' }]]));
  });

  test('stays as it is while its answer is not known, or its place takes nothing', async () => {
    await store.boards.add(wanted);
    await pass(10 * second);
    card = undefined;
    await pass(minute);
    card = { title: 'BTC 42,001' };
    failure = new DeliveryError({ kind: 'unavailable', accepted: 'no' }, 'away');
    await pass(minute);
    expect(done).toEqual(['send BTC 42,000', 'pin m1']);
    failure = undefined;
    await pass(minute);
    expect(done.at(-1)).toBe('edit m1 BTC 42,001');
  });

  test('is left alone while sending is paused, and while its place is gone', async () => {
    await store.boards.add(wanted);
    await pass(10 * second);
    card = { title: 'BTC 42,001' };
    await store.sending.pause({ by: 'me', at: 0 });
    await pass(minute);
    await store.sending.resume();
    await store.receivers.suspend([receiver], { at: 0, wall: 0, reason: 'gone' });
    await pass(minute);
    expect(done).toEqual(['send BTC 42,000', 'pin m1']);
    await store.receivers.wake([receiver], 0);
    await pass(minute);
    expect(done.at(-1)).toBe('edit m1 BTC 42,001');
  });

  test('is made anew once if its message is deleted; deleted again within a day, it ends', async () => {
    await store.boards.add(wanted);
    await pass(10 * second);
    shown.clear();
    card = { title: 'BTC 42,001' };
    await pass(30 * second);
    expect(done.slice(2)).toEqual(['send BTC 42,001', 'pin m2']);
    shown.clear();
    card = { title: 'BTC 42,002' };
    await pass(30 * second);
    expect(await store.boards.of(receiver)).toEqual([]);
    expect(done).toHaveLength(4);
  });

  test('is kept current, and not taken for deleted twice, when the wall clock is set back', async () => {
    wrong = 30 * day;
    await store.boards.add(wanted);
    await pass(10 * second);
    shown.clear();
    card = { title: 'BTC 42,001' };
    await pass(30 * second);
    wrong = 2 * day;
    shown.clear();
    card = { title: 'BTC 42,002' };
    await pass(30 * second);
    expect(done.filter((each) => each.startsWith('send'))).toEqual([
      'send BTC 42,000',
      'send BTC 42,001',
      'send BTC 42,002',
    ]);
  });

  test('that the place ends says so in its message, and is forgotten', async () => {
    const { id } = await store.boards.add(wanted);
    await pass(10 * second);
    await store.boards.end(id, receiver);
    expect(await store.boards.of(receiver)).toEqual([]);
    await pass(30 * second);
    expect(done.at(-1)).toBe('edit m1 This board has ended: market');
    expect(await store.boardLog.all('web')).toEqual([]);
  });

  test('in a topic or a name is written twice in ten minutes at most, also over a restart', async () => {
    await store.boards.add({ ...wanted, form: 'topic' });
    const from = clock.now();
    for (let price = 1; clock.now() < from + 21 * minute; price += 1) {
      card = { title: `BTC ${price}`, source: 'simulated' };
      await pass(30 * second);
      if (price % 5 === 0) {
        await work.stop();
        work = begin();
      }
    }
    expect(done.length).toBeGreaterThanOrEqual(4);
    expect(done.length).toBeLessThanOrEqual(5);
    expect(done[0]).toBe('topic BTC 1 · simulated');
  });

  test('a brief is a new message each day at its local time, and none is made up for', async () => {
    const at = new Date(start + 2 * hour).toISOString().slice(11, 16);
    await store.boards.add({ ...wanted, form: 'brief', daily: { at, timeZone: 'UTC' } });
    /** Market time goes on by so much, with a wall minute for the board to see it. */
    const later = async (ms: number) => {
      ahead += ms;
      await pass(minute);
    };
    await later(hour);
    expect(done).toEqual([]);
    await later(hour);
    await later(hour);
    expect(done).toEqual(['send BTC 42,000']);
    for (let hours = 0; hours < 24; hours += 1) await later(hour);
    expect(done).toEqual(['send BTC 42,000', 'send BTC 42,000']);
    await work.stop();
    ahead += 3 * day;
    work = begin();
    await pass(minute);
    expect(done).toHaveLength(2);
  });

  test('waits behind alerts: a turn at the pace goes to it only when no alert waits for one', async () => {
    const pace = createPace({ total: { per: 1_000, max: 1 } }, clock);
    const { signal } = new AbortController();
    const order: string[] = [];
    const lanes = ['board', 'edit', 'routine', 'board', 'urgent'] as const;
    const all = lanes.map((lane) => pace.take('x', { lane, signal }).then(() => order.push(lane)));
    await pass(6 * second);
    await Promise.all(all);
    expect(order).toEqual(['board', 'urgent', 'routine', 'edit', 'board']);
  });
});

describe('exactly one message on Discord, by a process that ends around each of its effects', () => {
  let discord: Discord;
  beforeEach(async () => {
    discord = await startDiscord();
  });
  afterEach(() => discord.close());

  /** Keeps the boards of a database until nothing is left to do, or until the process is as good as killed. */
  const run = async (
    database: string,
    { shows, ends }: { shows: string; ends?: readonly ['before' | 'after', number] },
  ): Promise<void> => {
    const store = await openStore(database, { addresses });
    const log = pino({ level: 'silent' });
    const pace = createPace(platform.limits, { ...steadyClock, sleep: wallClock.sleep });
    const given = options.parse({ token: discord.token, apiUrl: discord.url });
    const connection = openNotifier(given, notifierPorts({ pace, log }));
    const killed = Promise.withResolvers<void>();
    let effects = 0;
    let isDead = false;
    /** From the chosen effect on nothing is done any more, and nothing is answered. */
    const mortal = <Effects extends object>(of: Effects, names: readonly string[]): Effects =>
      new Proxy(of, {
        get(target, name, own) {
          const effect = Reflect.get(target, name, own) as unknown;
          if (typeof effect !== 'function' || !names.includes(String(name))) return effect;
          return async (...given: unknown[]) => {
            const [when, last] = ends ?? [];
            const isLast = effects++ === last;
            if (isLast && when === 'before') isDead = true;
            const result = isDead ? undefined : await effect.apply(target, given);
            isDead ||= isLast;
            if (!isDead) return result;
            killed.resolve();
            return new Promise(() => {});
          };
        },
      });
    const work = startBoards(
      {
        name: 'discord',
        connection: mortal(connection, ['send', 'edit', 'find', 'pin']),
        concurrency: 8,
        pace,
        paceKey: platform.limits.paceKey,
      },
      {
        boards: mortal(store.boardLog, ['keep', 'remove']),
        draw: async () => ({ title: shows, source: 'simulated' }),
        heldRole: { lease: { name: 'x', token: 0 } as never, isHeld: () => true },
        now: Date.now,
        wall: { ...wallClock, sleep: (ms, signal) => wallClock.sleep(Math.min(ms, 20), signal) },
        steady: steadyClock,
        log,
      },
    );
    if (ends === undefined) {
      const isSettled = ({ post }: KeptBoard) => post.pinned && !post.begun;
      const isDone = async () =>
        (await store.boardLog.all('discord')).every(isSettled) &&
        [...discord.channels.values()].some(({ messages }) =>
          messages.some(({ embeds }) => embeds[0]?.title === shows),
        );
      await expect.poll(isDone, { interval: 20 }).toBe(true);
      await work.stop();
    } else {
      await killed.promise;
      // What was begun never ends, so that there is nothing to wait for.
      void work.stop();
    }
    await connection.close?.();
    await store.close();
  };

  test.each([0, 1, 2, 3, 4].flatMap((effect) => [['before', effect] as const, ['after', effect] as const]))(
    '%s effect %d',
    async (...ends) => {
      const database = `file:${join(await ownFolder(), 'bot.sqlite')}`;
      const { guild, channel } = discord.addGuild();
      const store = await openStore(database, { addresses });
      await store.boards.add({
        ...wanted,
        receiver: { notifier: 'discord', address: { channelId: channel.id, guildId: guild.id } },
      });
      await store.close();
      await run(database, { shows: 'BTC 1', ends });
      await run(database, { shows: 'BTC 2' });
      expect(channel.messages.map(({ embeds }) => embeds[0]?.title)).toEqual(['BTC 2']);
      expect(channel.pins).toEqual([channel.messages[0]?.id]);
    },
  );
});
