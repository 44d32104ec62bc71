import { beforeEach, describe, expect, test } from 'vitest';
import type { Rule } from '#src/alert/rule.ts';
import { liveRules } from '#src/rules/live.ts';
import { day } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import type { Store } from '#src/store/ports.ts';
import { onStores } from '#test/support/databases.ts';
import { rule } from '#test/support/rules.ts';

onStores('rules', (url) => {
  let store: Store;
  beforeEach(async () => {
    store = await openStore(await url());
    return () => store.close();
  });

  const here = rule().receiver;
  const there = { notifier: 'web', address: { room: 'there' } };
  const add = ({ id: _, ...given }: Rule) => store.rules.add(given);

  describe('the index of stored rules', () => {
    test('follows rules that are added, changed, paused and deleted', async () => {
      const ruleIndex = liveRules(store.rules);
      expect((await ruleIndex()).size).toBe(0);
      const one = await add(rule());
      const two = await add(rule({ condition: 'funding.z > 2' }));
      expect((await ruleIndex()).size).toBe(2);
      await store.rules.update({ ...one, condition: 'price.last > 200' });
      expect((await ruleIndex()).get(one.id)?.condition.text).toBe('price.last > 200');
      await store.rules.update({ ...one, paused: true });
      expect((await ruleIndex()).get(one.id)).toBeUndefined();
      await store.rules.remove(two.id, here);
      expect((await ruleIndex()).size).toBe(0);
    });

    test('reads nothing if nothing has changed, and otherwise only the changes', async () => {
      const read: string[][] = [];
      const ruleIndex = liveRules({
        ...store.rules,
        read: (ids) => {
          read.push([...ids]);
          return store.rules.read(ids);
        },
      });
      const one = await add(rule());
      const two = await add(rule());
      await ruleIndex();
      await ruleIndex();
      await store.rules.update({ ...two, name: 'two' });
      await ruleIndex();
      expect(read.map((ids) => ids.toSorted())).toEqual([[one.id, two.id].sort(), [two.id]]);
    });

    test('follows the watchlist of a rule’s place', async () => {
      const ruleIndex = liveRules(store.rules);
      const { id } = await add(rule({ symbols: ['watchlist'] }));
      expect((await ruleIndex()).get(id)?.rule.symbols).toEqual([]);
      await store.watchlist.set(here, ['ETHUSDT']);
      expect((await ruleIndex()).get(id)?.rule.symbols).toEqual(['ETHUSDT']);
      expect(await store.rules.of(here)).toMatchObject([{ symbols: ['watchlist'] }]);
    });
  });

  describe('a place takes its rules with it', () => {
    test('when it moves', async () => {
      const ruleIndex = liveRules(store.rules);
      const { id } = await add(rule());
      await ruleIndex();
      await store.receivers.move(here, there);
      expect((await ruleIndex()).get(id)?.rule.receiver).toEqual(there);
      expect(await store.rules.of(here)).toEqual([]);
      expect(await store.rules.countOfAccount(there)).toBe(1);
    });

    test.each([
      ['ends', () => store.receivers.end(here, { at: 0, reason: 'over' })],
      ['is forgotten', () => store.forgetPlace(here)],
      [
        'has rested to the end',
        async () => {
          await store.receivers.suspend([here], { at: 0, wall: 0, reason: 'removed' });
          await store.prune({ now: 0, before: 0, requests: 0, wall: 31 * day, record: 0 });
        },
      ],
    ])('when it %s', async (_, happens) => {
      const ruleIndex = liveRules(store.rules);
      await add(rule());
      const { id } = await add(rule({ receiver: there }));
      await ruleIndex();
      await happens();
      expect((await ruleIndex()).get(id)).toBeDefined();
      expect((await ruleIndex()).size).toBe(1);
    });

    test('and is found even if it has nothing but rules', async () => {
      await add(rule({ receiver: { notifier: 'discord', address: { channelId: '1', guildId: '9' } } }));
      expect(await store.receivers.find({ notifier: 'discord', field: 'guildId', value: '9' })).toHaveLength(
        1,
      );
    });
  });

  test('another place can change and remove nothing, and rules for one alert end', async () => {
    const one = await add(rule());
    expect(await store.rules.update({ ...one, receiver: there, name: 'theirs' })).toBe(false);
    expect(await store.rules.remove(one.id, there)).toBe(false);
    expect(await store.rules.of(here)).toEqual([one]);
    await store.rules.end([one.id]);
    expect(await store.rules.of(here)).toEqual([]);
  });
});
