import { expect, test } from 'vitest';
import { receiverKey } from '#src/alert/subscription.ts';
import { addresses } from '#test/support/addresses.ts';

const { accountOf, roomOf } = addresses;

test('channels of a guild and topics of a chat share an account; any other place is its own account', () => {
  const channel = (channelId: string) => ({ notifier: 'discord', address: { channelId, guildId: '7' } });
  const topic = (threadId: number) => ({ notifier: 'telegram', address: { chatId: '7', threadId } });
  expect(accountOf(channel('1'))).toBe(accountOf(channel('2')));
  expect(accountOf(topic(1))).toBe(accountOf(topic(2)));
  expect(accountOf(topic(1))).not.toBe(accountOf(channel('1')));
  for (const alone of [
    { notifier: 'web', address: { room: 'main' } },
    { notifier: 'discord', address: { channelId: '1' } },
    { notifier: 'of a platform that is not in use', address: { chatId: '7' } },
  ])
    expect(accountOf(alone)).toBe(receiverKey(alone));
});

test('only messages of platforms that do not store messages themselves are kept, by room', () => {
  expect(roomOf({ notifier: 'web', address: { room: 'main' } })).toBe('main');
  expect(roomOf({ notifier: 'discord', address: { channelId: '1' } })).toBeUndefined();
});
