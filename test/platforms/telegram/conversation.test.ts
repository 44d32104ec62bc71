import { describe, expect, it } from 'vitest';
import type { Card } from '#src/card/card.ts';
import type { Ports } from '#src/platforms/ports.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { hour } from '#src/runtime/units.ts';
import { managerRights } from '#src/shell/rights.ts';
import { ada, bob, me } from '#test/support/telegram/double.ts';
import {
  asks,
  chatOf,
  dataOf,
  double,
  firstMessage,
  group,
  hears,
  inGroup,
  platform,
  talk,
  waitFor,
} from './fixture.ts';

describe('a command', () => {
  it('in private is answered with a card', async () => {
    const { telegram, bot } = await talk();
    telegram.say('/coin eth');
    await waitFor(() => telegram.texts(ada.id), [expect.stringContaining('97,000.00')]);
    expect(bot.asked).toEqual([
      {
        line: 'coin eth',
        caller: {
          receiver: chatOf(ada.id),
          user: '@ada',
          person: `telegram:${ada.id}`,
          rights: managerRights,
          language: 'en',
          timeZone: 'UTC',
          slash: true,
        },
      },
    ]);
  });

  it.each([
    ['/help', '\n/subscriptions '],
    ['/help', '\n/unsilence <id> '],
    ['/help silence', '\nsymbol Market (default: all markets)'],
    ['/help silence', 'Usage: /silence [kind]'],
    ['/nope', 'Type "/help" for the list'],
    ['/silence for=99d', 'Usage: /silence [kind]'],
    ['/alert list', 'Create one: /alert create funding.z'],
    ['/why', '"/subscribe" changes that'],
    ['/watchlist', '"/watchlist add btc eth" starts'],
  ])('%s is answered with commands that can be tapped: %s', async (line, hint) => {
    const { telegram } = await talk();
    telegram.say(line);
    await hears(telegram, ada.id, hint);
  });

  it.each([
    [bob, 'Bob (id 5002)'],
    [{ ...bob, first_name: '@ada' }, 'ada (id 5002)'],
    [{ ...bob, first_name: '\u202e\n' }, '(id 5002)'],
    [ada, '@ada'],
  ])('is recorded under a name that nobody else can take: %o', async (user, name) => {
    const { telegram, bot } = await talk();
    telegram.say('/silence btc 4h', { chatId: user.id, user });
    await waitFor(
      () => bot.store.kept.audit.map(({ who, person }) => [who, person]),
      [[name, `telegram:${user.id}`]],
    );
  });

  describe('whose answer has a pending preview', () => {
    const png = Buffer.from('\x89PNGa chart', 'latin1');
    const chart = {
      title: 'Price',
      unit: 'USD',
      series: [{ name: 'BTC', points: [[0, 1] as const, [1, 2] as const] }],
    };
    async function asked(image?: Ports['image']) {
      const whole = Promise.withResolvers<Card<string> | undefined>();
      const telegram = await double();
      await platform(telegram, {
        ports: {
          ask: async (request) =>
            request === 'subscribe all' ? { title: 'Checking', later: whole.promise } : { title: 'Next' },
          ...(image !== undefined && { image }),
        },
      });
      telegram.say('/subscribe all');
      await waitFor(() => telegram.texts(ada.id), ['Checking']);
      return { telegram, whole };
    }

    it('is answered first and edited later; the next question of its chat does not wait', async () => {
      const { telegram, whole } = await asked();
      telegram.say('/market');
      await waitFor(() => telegram.texts(ada.id), ['Checking', 'Next']);
      whole.resolve({ title: 'Checked' });
      await waitFor(() => telegram.texts(ada.id), ['Checked', 'Next']);
    });

    it('is posted anew, without a sound, if it was deleted meanwhile', async () => {
      const { telegram, whole } = await asked();
      const deleted = { code: 400, description: 'Bad Request: message to edit not found' };
      telegram.inject({ method: 'editMessageText', how: { answer: deleted } });
      whole.resolve({ title: 'Checked' });
      await waitFor(
        () => telegram.messages.map(({ text, silent }) => [text, silent]),
        [
          ['Checking', false],
          ['Checked', true],
        ],
      );
    });

    it('has its picture added in place', async () => {
      const { telegram, whole } = await asked(async (card) => card.chart && { png, alt: '' });
      whole.resolve({ title: 'Checked', chart });
      await waitFor(
        () => telegram.messages.map(({ text, photo }) => [text, photo?.bytes]),
        [['Checked', 11]],
      );
    });

    it('is edited without its picture if that is refused', async () => {
      const no = { png: Buffer.from('no picture'), alt: '' };
      const { telegram, whole } = await asked(async (card) => card.chart && no);
      whole.resolve({ title: 'Checked', chart });
      await waitFor(
        () => telegram.messages.map(({ text, photo }) => [text, photo]),
        [['Checked', undefined]],
      );
    });

    it('about a channel, asked in private, is edited under the channel’s name', async () => {
      const whole = Promise.withResolvers<Card<string>>();
      const telegram = await double();
      const members = { [ada.id]: 'creator', [me.id]: 'administrator' };
      telegram.chat({ id: -1_001_234_567, type: 'channel', title: 'Traders', username: 'traders', members });
      await platform(telegram, {
        ports: { ask: async () => ({ title: 'Checking', later: whole.promise }) },
      });
      telegram.say('/subscribe @traders all');
      await waitFor(() => telegram.texts(ada.id), ['Traders: Checking']);
      whole.resolve({ title: 'Checked' });
      await waitFor(() => telegram.texts(ada.id), ['Traders: Checked']);
    });
  });

  it('that starts the bot brings a keyboard with the main questions, in the person’s language', async () => {
    const { telegram, bot } = await talk();
    telegram.say('/start', { user: { ...ada, language_code: 'es' } });
    const keyboards = () =>
      telegram.calls.flatMap(({ fields }) => {
        const { reply_markup: markup = {} } = fields as { reply_markup?: unknown };
        const { keyboard } = (typeof markup === 'string' ? JSON.parse(markup) : markup) as {
          keyboard?: { text: string }[][];
        };
        return keyboard ?? [];
      });
    await waitFor(() => keyboards().length, 3);
    const [first = ''] = keyboards()
      .flat()
      .map(({ text }) => text);
    telegram.say(first, { user: { ...ada, language_code: 'es' } });
    await waitFor(() => bot.asked.at(-1)?.line, 'mercado');
    await waitFor(() => telegram.texts(ada.id).length, 3);
  });

  it('that starts the bot may begin with a capital, as phones write it', async () => {
    const { telegram } = await talk();
    telegram.say('Start');
    await hears(telegram, ada.id, 'Tocsin is here');
  });

  it('without a slash is understood in private, and ignored in a group', async () => {
    const { telegram, bot } = await inGroup();
    telegram.say('market', { chatId: group });
    telegram.say('just talking', { chatId: group });
    telegram.say('market');
    await waitFor(() => telegram.texts(ada.id).length, 1);
    expect(telegram.texts(group)).toEqual([]);
    expect(bot.asked).toHaveLength(1);
  });

  it('in a group is for this bot if it is named or the command is known, and never for another bot', async () => {
    const { telegram, bot } = await inGroup();
    telegram.say(`/regime@${me.username.toUpperCase()}`, { chatId: group });
    telegram.say('/regime@other_bot', { chatId: group });
    telegram.say('/ban somebody', { chatId: group });
    telegram.say('/market', { chatId: group });
    await waitFor(() => telegram.texts(group).length, 2);
    expect(bot.asked.map(({ line }) => line)).toEqual(['regime', 'market']);
  });

  it('in a group by which a member follows a market is about the member’s own chat', async () => {
    const { telegram, bot } = await inGroup();
    telegram.say('/follow btc', { chatId: group, user: bob });
    await waitFor(() => bot.asked.length, 1);
    expect(await bot.asked[0]?.caller.direct?.()).toEqual(chatOf(bob.id));
    telegram.say('follow btc');
    await waitFor(() => bot.asked.length, 2);
    expect(bot.asked[1]?.caller).toMatchObject({ receiver: chatOf(ada.id) });
    expect(bot.asked[1]?.caller.direct).toBeUndefined();
  });

  it('from another bot is ignored', async () => {
    const { telegram, bot } = await inGroup();
    telegram.say('/market', { chatId: group, user: { ...bob, is_bot: true } });
    telegram.say('/regime', { chatId: group });
    await waitFor(() => telegram.texts(group).length, 1);
    expect(bot.asked).toHaveLength(1);
  });

  it('in a topic is answered there, and subscribes the topic', async () => {
    const { telegram, bot } = await inGroup();
    telegram.say('/subscribe all', { chatId: group, thread: 7 });
    await waitFor(() => bot.store.kept.subscriptions.map(({ receiver }) => receiver), [chatOf(group, 7)]);
    await waitFor(() => telegram.messages.map(({ thread }) => thread), [7]);
  });

  it.each([
    ['an administrator', ada, {}, true],
    ['a member', bob, {}, false],
    [
      'an anonymous administrator',
      { id: 1_087_968_824, is_bot: true, first_name: 'Group' },
      { sender_chat: { id: group, type: 'supergroup' } },
      true,
    ],
    [
      'a channel that is linked',
      { id: 136_817_688, is_bot: true, first_name: 'Channel' },
      { sender_chat: { id: -100_9, type: 'channel' } },
      false,
    ],
  ])('changes the settings of a group for %s: %o', async (_, user, extra, may) => {
    const { telegram, bot } = await inGroup();
    telegram.say('/subscribe all', { chatId: group, user, extra });
    await waitFor(() => telegram.texts(group).length, 1);
    expect(bot.store.kept.subscriptions).toHaveLength(may ? 1 : 0);
    if (!may) expect(telegram.texts(group)[0]).toContain('only those who manage it');
  });

  it('is answered in the order of asking', async () => {
    const telegram = await double();
    let first = true;
    await platform(telegram, {
      ports: {
        async ask(line): Promise<Card<string>> {
          if (first) {
            first = false;
            await new Promise((resolve) => setTimeout(resolve, 30));
          }
          return { title: String(line) };
        },
      },
    });
    for (const line of ['/market', '/regime', '/status']) telegram.say(line);
    await waitFor(() => telegram.texts(ada.id), ['market', 'regime', 'status']);
  });

  it('that could be about a market offers some', async () => {
    const { telegram, bot } = await talk();
    telegram.say('/funding');
    const message = await firstMessage(telegram);
    expect(dataOf(message, 'ETHUSDT')).toBe('>funding ETHUSDT');
    telegram.press(message, '>funding ETHUSDT');
    await asks(bot, ['funding', 'funding ETHUSDT']);
  });
});

describe('a message typed hours before a restart', () => {
  const hoursAgo = { extra: { date: Math.floor(Date.now() / 1_000) - 3 * 3_600 } };

  it.each(['/market', '/help', 'funding btc'])('is not answered if it is a question: %s', async (line) => {
    const { telegram, bot } = await talk();
    telegram.say(line, hoursAgo);
    telegram.say('/regime');
    await waitFor(() => telegram.texts(ada.id).length, 1);
    expect(bot.asked.map((each) => each.line)).toEqual(['regime']);
  });

  it.each([
    '/silence btc 4h',
    'silenciar btc 4h',
    '/watchlist add btc',
    '/alert create price.last above=1 btc',
  ])('is carried out if it is a setting: %s', async (line) => {
    const { telegram, bot } = await talk();
    telegram.say(line, hoursAgo);
    await waitFor(() => bot.store.kept.audit.length, 1);
    await waitFor(() => telegram.texts(ada.id).length, 1);
  });

  it('is not what is typed now, where the clock of this machine is hours ahead', async () => {
    const ahead = { ...wallClock, now: () => wallClock.now() + 3 * hour };
    const { telegram, bot } = await talk({ ports: { wall: ahead } });
    telegram.say('/market');
    await asks(bot, ['market']);
  });

  it('is welcomed if it started the bot', async () => {
    const { telegram } = await talk();
    telegram.say('/start', hoursAgo);
    await hears(telegram, ada.id, 'Tocsin is here');
  });
});
