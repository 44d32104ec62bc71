import { describe, expect, it } from 'vitest';
import { ada, bob, me } from '#test/support/telegram/double.ts';
import {
  chatOf,
  dataOf,
  double,
  firstMessage,
  group,
  inGroup,
  key,
  platform,
  talk,
  waitFor,
} from './fixture.ts';

describe('a channel', () => {
  const channel = -1_001_234_567_890;

  async function withChannel(members: Record<number, string>) {
    const telegram = await double();
    telegram.chat({ id: ada.id });
    telegram.chat({ id: channel, type: 'channel', title: 'News', username: 'newschannel', members });
    return { telegram, bot: await platform(telegram) };
  }

  it('is subscribed by its administrator from private chat', async () => {
    const { telegram, bot } = await withChannel({ [ada.id]: 'creator', [me.id]: 'administrator' });
    telegram.say('/subscribe @newschannel funding BTC');
    await waitFor(() => bot.store.kept.subscriptions.map(({ receiver }) => receiver), [chatOf(channel)]);
    await waitFor(() => telegram.texts(ada.id), [expect.stringContaining('News: Subscribed')]);
    const message = await firstMessage(telegram);
    expect(dataOf(message)).toBe('>unsubscribe @newschannel m1');
    telegram.press(message, dataOf(message));
    await waitFor(() => bot.store.kept.subscriptions, []);
  });

  it.each([
    ['the user is no administrator', { [ada.id]: 'member', [me.id]: 'administrator' }],
    ['the bot is no administrator', { [ada.id]: 'creator', [me.id]: 'member' }],
    ['the user is a stranger', { [me.id]: 'administrator' }],
  ])('is neither revealed nor changed if %s', async (_, members) => {
    const { telegram, bot } = await withChannel(members);
    for (const line of ['/subscribe @newschannel all', `/subscriptions ${channel}`, '/why @newschannel']) {
      telegram.say(line);
    }
    const refused = expect.stringContaining('only by its administrators');
    await waitFor(() => telegram.texts(ada.id), [refused, refused, refused]);
    expect(bot.asked).toEqual([]);
  });

  it('can be subscribed by a post in it', async () => {
    const { telegram, bot } = await withChannel({ [me.id]: 'administrator' });
    telegram.say('/subscribe all', { chatId: channel });
    await waitFor(() => bot.store.kept.subscriptions.map(({ receiver }) => receiver), [chatOf(channel)]);
  });

  it('gets no post when a reader presses a button: the answer is for them alone', async () => {
    const { telegram, bot } = await withChannel({ [ada.id]: 'creator', [me.id]: 'administrator' });
    telegram.say('/funding', { chatId: channel });
    const message = await firstMessage(telegram);
    const data = dataOf(message);
    const query = telegram.press(message, data, bob);
    await waitFor(() => telegram.queries.get(query), expect.stringContaining('private chat'));
    expect(telegram.messages).toHaveLength(1);
    telegram.press(message, data, ada);
    await waitFor(() => telegram.messages.length, 2);
    expect(bot.asked).toHaveLength(2);
  });

  it('that makes the bot an administrator: the person who did it gets the next steps in private', async () => {
    const { telegram } = await withChannel({ [ada.id]: 'creator', [me.id]: 'administrator' });
    telegram.membership(channel, 'left', 'administrator');
    await waitFor(() => telegram.texts(ada.id), [expect.stringContaining('/subscribe')]);
    expect(telegram.texts(channel)).toEqual([]);
  });
});

describe('a chat', () => {
  it('is greeted when the bot is added, with three things to do', async () => {
    const { telegram } = await inGroup();
    telegram.membership(group, 'left', 'member');
    await waitFor(() => telegram.texts(group), [expect.stringMatching(/subscribe[\s\S]*market[\s\S]*help/)]);
    telegram.membership(group, 'member', 'administrator');
    telegram.say('/market', { chatId: group });
    await waitFor(() => telegram.texts(group).length, 2);
  });

  it.each([
    ['kicked', group],
    ['left', group],
    ['kicked', ada.id],
  ])(
    'with the bot %s rests with everything, including topics, until the bot is back',
    async (status, chatId) => {
      const telegram = await double();
      telegram.chat({ id: group });
      const theirs = [chatOf(chatId), chatOf(chatId, 7)];
      const bot = await platform(telegram, { receivers: [...theirs, chatOf(-3)] });
      telegram.membership(chatId, 'member', status);
      await waitFor(() => bot.resting(), theirs);
      telegram.membership(chatId, status, 'member');
      await waitFor(() => bot.resting(), []);
      expect(bot.did.filter((what) => what.startsWith('end'))).toEqual([]);
    },
  );

  it.each([
    ['a group as a restricted member', 'supergroup', { status: 'restricted', can_send_messages: false }],
    ['a channel without the right to post', 'channel', { status: 'administrator', can_post_messages: false }],
  ] as const)(
    'to which the bot comes back as in %s rests on, and nobody is greeted',
    async (_where, type, membership) => {
      const telegram = await double();
      telegram.chat({ id: ada.id });
      telegram.chat({ id: group, type });
      const bot = await platform(telegram, { receivers: [chatOf(group)] });
      telegram.membership(group, 'member', 'kicked');
      await waitFor(() => bot.resting(), [chatOf(group)]);
      telegram.membership(group, 'kicked', membership);
      telegram.membership(group, membership.status, 'kicked');
      await waitFor(() => bot.did, [`rest ${key(chatOf(group))}`, `rest ${key(chatOf(group))}`]);
      expect(telegram.messages).toEqual([]);
    },
  );

  it('that becomes a supergroup is followed', async () => {
    const telegram = await double();
    telegram.chat({ id: -5, type: 'group' });
    const bot = await platform(telegram, { receivers: [chatOf(-5)] });
    telegram.migrate(-5, -1_005);
    telegram.say('', { chatId: -5, extra: { text: undefined, migrate_to_chat_id: -1_005 } });
    await waitFor(() => bot.did, [`move ${key(chatOf(-5))} ${key(chatOf(-1_005))}`]);
  });

  it('that becomes a supergroup is followed by answers too', async () => {
    const { telegram } = await inGroup();
    telegram.migrate(group, -100_777);
    telegram.say('/market', { chatId: group });
    await waitFor(() => telegram.texts(-100_777).length, 1);
  });
});

describe('an answer', () => {
  it('waits for as long as Telegram asks, and is then sent', async () => {
    const { telegram } = await talk();
    telegram.chat({ id: ada.id });
    telegram.inject({
      method: 'sendMessage',
      how: {
        answer: {
          code: 429,
          description: 'Too Many Requests: retry after 1',
          parameters: { retry_after: 1 },
        },
      },
    });
    telegram.say('/market');
    await waitFor(() => telegram.texts(ada.id).length, 1);
  });

  it('to a person who blocked the bot rests their subscriptions; the next one that gets through wakes them', async () => {
    const telegram = await double();
    const chat = telegram.chat({ id: ada.id, standing: 'blocked' });
    const bot = await platform(telegram, { receivers: [chatOf(ada.id)] });
    telegram.say('/market');
    await waitFor(() => bot.resting(), [chatOf(ada.id)]);
    chat.standing = 'member';
    telegram.say('/market');
    await waitFor(() => bot.resting(), []);
    expect(bot.did.filter((what) => what.startsWith('end'))).toEqual([]);
  });

  it('to a person whose account is deleted ends their subscriptions', async () => {
    const telegram = await double();
    telegram.chat({ id: ada.id, standing: 'deactivated' });
    const bot = await platform(telegram, { receivers: [chatOf(ada.id)] });
    telegram.say('/market');
    await waitFor(() => bot.did, [`end ${key(chatOf(ada.id))}`]);
  });

  it('in a topic that was deleted ends the subscriptions of that topic alone', async () => {
    const telegram = await double();
    telegram.chat({ id: group, topics: [7], members: { [ada.id]: 'creator' } });
    const receivers = [chatOf(group), chatOf(group, 7), chatOf(group, 8)];
    const bot = await platform(telegram, { receivers });
    const deleted = { code: 400, description: 'Bad Request: TOPIC_DELETED' };
    telegram.inject({ method: 'sendMessage', how: { answer: deleted } });
    telegram.say('/market', { chatId: group, thread: 7 });
    await waitFor(() => bot.did, [`end ${key(chatOf(group, 7))}`]);
  });

  it('in a topic that is closed rests the subscriptions of that topic alone, until it is opened', async () => {
    const telegram = await double();
    const chat = telegram.chat({ id: group, topics: [7], members: { [ada.id]: 'creator' } });
    const receivers = [chatOf(group), chatOf(group, 7), chatOf(group, 8)];
    const bot = await platform(telegram, { receivers });
    chat.closedTopics.add(7);
    telegram.say('/market', { chatId: group, thread: 7 });
    await waitFor(() => bot.resting(), [chatOf(group, 7)]);
    chat.closedTopics.delete(7);
    telegram.say('', { chatId: group, thread: 7, extra: { text: undefined, forum_topic_reopened: {} } });
    await waitFor(() => bot.resting(), []);
  });
});
