import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import telegram from '#src/platforms/telegram/platform.ts';
import { createPace, type Lane, lanes } from '#src/runtime/pace.ts';
import { fakeClock } from '#test/support/clock.ts';

const never = new AbortController().signal;

function fixture(limits: Parameters<typeof createPace>[0]) {
  const clock = fakeClock();
  const pace = createPace(limits, clock);
  const granted: { at: number; name: string }[] = [];
  const ask = (name: string, address = name, lane: Lane = 'routine', signal = never) =>
    void pace.take(address, { lane, signal }).then(
      () => granted.push({ at: clock.now(), name }),
      () => {},
    );
  return { clock, pace, granted, ask, names: () => granted.map(({ name }) => name).join('') };
}

describe('a pace', () => {
  it('grants requests within the limits at once', async () => {
    const { clock, ask, names } = fixture({ total: { per: 1_000, max: 2 } });
    ask('a');
    ask('b');
    ask('c');
    await clock.advance(0);
    expect(names()).toBe('ab');
  });

  it('never exceeds the limit in any window, and never waits longer than necessary', async () => {
    const { clock, ask, granted } = fixture({ total: { per: 1_000, max: 3 } });
    for (let n = 0; n < 9; n++) ask(String(n));
    await clock.advance(2_000);
    expect(granted.map(({ at }) => at)).toEqual([0, 0, 0, 1_000, 1_000, 1_000, 2_000, 2_000, 2_000]);
  });

  it('keeps several limits together: one may spread what another allows', async () => {
    const { clock, ask, granted } = fixture({
      total: [
        { per: 1_000, max: 4 },
        { per: 100, max: 2 },
      ],
    });
    for (let n = 0; n < 6; n++) ask(String(n));
    await clock.advance(2_000);
    expect(granted.map(({ at }) => at)).toEqual([0, 0, 100, 100, 1_000, 1_000]);
  });

  it('counts a delayed request from when it may have arrived', async () => {
    const { clock, pace, ask, granted } = fixture({ total: { per: 1_000, max: 2 } });
    ask('a');
    ask('b');
    await clock.advance(500);
    pace.reportDelay(0, 400);
    for (const name of ['c', 'd', 'e']) ask(name);
    await clock.advance(2_000);
    expect(granted.map(({ at }) => at)).toEqual([0, 0, 1_000, 1_400, 2_000]);
  });

  it.each([0, 1, 2])('%i requests that are never answered slow down no later ones', async (hanging) => {
    const { clock, ask, granted, pace } = fixture({
      total: [
        { per: 1_020, max: 30 },
        { per: 100, max: 3 },
      ],
    });
    for (let n = 0; n < 200; n++) ask(String(n));
    for (let answered = hanging; clock.now() < 5_000; await clock.advance(2))
      for (const { at } of granted.slice(answered)) {
        if (at > clock.now() - 30) break;
        pace.reportDelay(at, at + 5);
        answered += 1;
      }
    expect(granted).toHaveLength(144);
  });

  it('leaves at 0.95 of Telegram’s pace or more, although each timer fires 20 ms late', async () => {
    const clock = fakeClock();
    const late = {
      now: clock.now,
      sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms + 20, signal),
    };
    const pace = createPace(telegram.limits, late);
    const at: number[] = [];
    for (let n = 0; n < 600; n++)
      void pace.take(String(n), { lane: 'urgent', signal: never }).then(() => at.push(clock.now()));
    await clock.advance(25_000);
    expect(at).toHaveLength(600);
    expect(600 / ((at.at(-1) as number) / 1_000) / 30).toBeGreaterThan(0.95);
    for (const [index, time] of at.entries())
      expect((at[index + 30] ?? Infinity) - time).toBeGreaterThanOrEqual(1_020);
    for (const [index, time] of at.entries()) expect((at[index + 6] ?? Infinity) - time).toBeGreaterThan(100);
  });

  it('does not delay others because of an address that must wait', async () => {
    const { clock, ask, names } = fixture({ perAddress: [{ per: 1_000, max: 1 }] });
    ask('a', 'chat');
    ask('b', 'chat');
    ask('c', 'other');
    await clock.advance(0);
    expect(names()).toBe('ac');
    await clock.advance(1_000);
    expect(names()).toBe('acb');
  });

  it('takes turns between chats, so that one chat’s backlog does not starve another', async () => {
    const { clock, ask, names } = fixture({ total: { per: 100, max: 1 } });
    for (let n = 0; n < 50; n++) ask('a', 'busy');
    ask('b', 'quiet');
    ask('c', 'other');
    ask('c', 'other');
    await clock.advance(600);
    expect(names()).toBe('abcacaa');
  });

  it('applies a limit for some addresses only to those', async () => {
    const { clock, ask, names } = fixture({
      perAddress: [{ per: 60_000, max: 1, appliesTo: (address) => address.startsWith('-') }],
    });
    ask('a', '-group');
    ask('b', '-group');
    ask('c', 'person');
    ask('d', 'person');
    await clock.advance(59_999);
    expect(names()).toBe('acd');
  });

  describe('answers do not starve alerts:', () => {
    /** Requests answers for chats that ask again as soon as they are answered. */
    const insist = ({ pace, clock }: ReturnType<typeof fixture>, chats: readonly string[]) => {
      const answered: number[] = [];
      const ask = async (chat: string) => {
        for (;;) {
          await pace.take(chat, { lane: 'answer', signal: never });
          answered.push(clock.now());
        }
      };
      for (const chat of chats) void ask(chat);
      return answered;
    };
    const group = { per: 60_000, max: 20, maxAnswers: 10, appliesTo: (chat: string) => chat.startsWith('-') };

    it('answers take less than half the turns while other messages wait', async () => {
      const f = fixture({ total: { per: 1_000, max: 10 } });
      const answered = insist(
        f,
        Array.from({ length: 33 }, (_, n) => `busy ${n}`),
      );
      for (let n = 0; n < 14; n++) f.ask('a', `told ${n}`);
      await f.clock.advance(2_999);
      const turns = [1_000, 2_000].flatMap((at) => Array(7).fill(at));
      expect(f.granted.map(({ at }) => at)).toEqual(turns);
      expect(answered).toHaveLength(30 - turns.length);
    });

    it('answers take all turns while nothing else waits', async () => {
      const f = fixture({ total: { per: 1_000, max: 10 } });
      const answered = insist(f, ['a', 'b']);
      await f.clock.advance(1_999);
      expect(answered).toHaveLength(20);
    });

    it('an alert is sent even if its own group asks at every turn', async () => {
      const f = fixture({ perAddress: [{ per: 1_000, max: 1 }] });
      insist(f, ['-1']);
      await f.clock.advance(500);
      for (const lane of ['edit', 'routine', 'urgent'] as const) f.ask(lane, '-1', lane);
      await f.clock.advance(6_000);
      expect(f.granted).toEqual([
        { at: 1_000, name: 'urgent' },
        { at: 2_000, name: 'routine' },
        { at: 4_000, name: 'edit' },
      ]);
    });

    it('an alert to a group whose members have asked for a minute is sent at once', async () => {
      const f = fixture({ perAddress: [{ per: 1_100, max: 1 }, group] });
      const answered = insist(f, ['-1']);
      await f.clock.advance(40_000);
      expect(answered).toHaveLength(10);
      for (let n = 0; n < 5; n++) f.ask(String(n), '-1');
      await f.clock.advance(4_400);
      expect(f.names()).toBe('01234');
    });

    it('at Telegram’s limits an alert to 50 busy groups takes at most twice the ideal time', async () => {
      const f = fixture(telegram.limits);
      const groups = Array.from({ length: 50 }, (_, n) => `-${n + 1}`);
      const ideal = (groups.length / 30) * 1_000;
      insist(f, groups);
      await f.clock.advance(60_000);
      for (const name of ['first', 'second', 'third']) {
        const begun = f.clock.now();
        for (const group of groups) f.ask(name, group);
        await f.clock.advance(10_000);
        const left = f.granted.filter((each) => each.name === name).map(({ at }) => at - begun);
        expect(left).toHaveLength(groups.length);
        expect(Math.max(...left)).toBeLessThanOrEqual(2 * ideal);
      }
    });

    it('an alert that waits for its turn does not delay the answers of its chat', async () => {
      const f = fixture({ total: { per: 100, max: 1 } });
      for (let n = 0; n < 100; n++) f.ask(String(n));
      f.ask('told', '-1');
      const answered = insist(f, ['-1']);
      await f.clock.advance(2_000);
      expect(answered.length).toBeGreaterThanOrEqual(6);
      expect(f.granted.filter(({ name }) => name === 'told')).toHaveLength(1);
    });
  });

  it('grants answers before alerts, urgent before routine ones, and new posts before edits', async () => {
    const { clock, ask, names } = fixture({ total: { per: 1_000, max: 1 } });
    ask('0');
    await clock.advance(0);
    for (const lane of [...lanes].reverse()) ask(lane[0] ?? '', lane, lane);
    await clock.advance(4_000);
    expect(names()).toBe('0aure');
  });

  it('blocks only the address that a platform names', async () => {
    const { clock, pace, ask, names } = fixture({});
    pace.block('a', 5_000);
    ask('a');
    ask('b');
    await clock.advance(4_999);
    expect(names()).toBe('b');
    await clock.advance(1);
    expect(names()).toBe('ba');
  });

  it('blocks everything when the platform says everything', async () => {
    const { clock, pace, ask, names } = fixture({});
    pace.block(undefined, 100);
    ask('a', 'a', 'answer');
    await clock.advance(99);
    expect(names()).toBe('');
    await clock.advance(1);
    expect(names()).toBe('a');
  });

  it('drops a waiting request that was aborted, without using a turn', async () => {
    const { clock, ask, names } = fixture({ total: { per: 1_000, max: 1 } });
    const leaving = new AbortController();
    ask('a');
    ask('b', 'b', 'routine', leaving.signal);
    ask('c');
    leaving.abort();
    await clock.advance(1_000);
    expect(names()).toBe('ac');
  });

  it('keeps every limit for any requests, and grants all of them in the end', async () => {
    const asked = fc.array(
      fc.record({
        address: fc.constantFrom('x', 'y', 'z'),
        lane: fc.constantFrom(...lanes),
        wait: fc.nat(400),
      }),
      { maxLength: 25 },
    );
    await fc.assert(
      fc.asyncProperty(asked, async (requests) => {
        const { clock, ask, granted } = fixture({
          total: { per: 1_000, max: 4 },
          perAddress: [{ per: 1_000, max: 2 }],
        });
        for (const { address, lane, wait } of requests) {
          ask(address, address, lane);
          await clock.advance(wait);
        }
        await clock.advance(30_000);
        expect(granted).toHaveLength(requests.length);
        const within = (name: string | undefined, at: number) =>
          granted.filter(
            (each) => (name === undefined || each.name === name) && each.at > at - 1_000 && each.at <= at,
          );
        for (const { at, name } of granted) {
          expect(within(undefined, at).length).toBeLessThanOrEqual(4);
          expect(within(name, at).length).toBeLessThanOrEqual(2);
        }
      }),
      { numRuns: 30 },
    );
  });
});
