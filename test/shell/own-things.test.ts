import { expect, test } from 'vitest';
import type { Receiver } from '#src/alert/subscription.ts';
import { suggest } from '#src/platforms/discord/slash.ts';
import { completeLine } from '#src/shell/complete.ts';
import { readOwnThings } from '#src/shell/own-things.ts';
import { start, subscription } from '#test/support/alerts.ts';
import { caller, commandContext } from '#test/support/commands.ts';
import { now } from '#test/support/data.ts';
import { memoryStore } from '#test/support/memory-store.ts';
import { rule } from '#test/support/rules.ts';

const theirs: Receiver = { notifier: 'web', address: { room: 'elsewhere' } };
const silence = (id: string, receiver: Receiver) => ({
  id,
  receiver,
  kinds: ['*'],
  symbols: ['SOLUSDT'],
  startsAt: start,
  endsAt: now + 1,
  createdBy: 'ada',
});
const subscribed = (id: string, symbol: string, receiver = caller.receiver) => ({
  ...subscription({ symbols: [symbol], receiver }),
  id,
});

async function fixture() {
  const store = memoryStore({
    subscriptions: [
      subscribed('m1', 'BTCUSDT'),
      subscribed('m2', 'ETHUSDT'),
      subscribed('m3', 'XRPUSDT', theirs),
    ],
    rules: [
      rule({ id: 'm7', receiver: caller.receiver, name: 'Breakout' }),
      rule({ id: 'm8', receiver: theirs, name: 'Theirs' }),
    ],
    silences: [silence('m4', caller.receiver), silence('m5', theirs)],
  });
  const context = commandContext({ store });
  return { ...context, own: await readOwnThings(context) };
}

test.each<[string, string, string[]]>([
  ['ids: the latest first, then what stands for all', 'unsubscribe ', ['m2', 'm1', 'all']],
  ['an id by its beginning', 'unsubscribe m1', ['m1']],
  ['an id by what it is about', 'unsubscribe btc', ['m1']],
  ['silences of this place, not another’s', 'unsilence ', ['m4', 'all']],
  ['an alert of one’s own to mute, by its name', 'silence break', ['m7']],
  ['all of one’s own, and never another’s', 'silence own', ['own-rule']],
  ['a subscription to look at', 'subscriptions id=', ['id=m2', 'id=m1']],
])('completion offers %s', async (_, line, expected) => {
  const found = completeLine(line, { context: await fixture() });
  expect(found.map((each) => each.line.slice(line.split(' ')[0]?.length).trim())).toEqual(expected);
});

test('an offered id comes with a description', async () => {
  const [first] = completeLine('unsubscribe ', { context: await fixture() });
  expect(first?.label).toBe('m2: All alerts for ETH');
});

test('Discord offers the same ids by their descriptions', async () => {
  expect(suggest('unsubscribe', { focused: { name: 'id', value: 'btc' }, context: await fixture() })).toEqual(
    [{ name: 'm1: All alerts for BTC', value: 'm1' }],
  );
});

test('an offered id to mute comes with a description', async () => {
  const context = await fixture();
  expect(completeLine('silence m7', { context })[0]?.label).toBe('m7: Breakout');
  expect(completeLine('silence own', { context })[0]?.label).toBe('Your own');
});
