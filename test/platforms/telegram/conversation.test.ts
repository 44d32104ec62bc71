import { describe, expect, it, vi } from 'vitest';
import type { Card } from '#src/card/card.ts';
import type { TelegramPorts } from '#src/platforms/telegram/ports.ts';
import { managerRights, viewerRights } from '#src/shell/rights.ts';
import { patience } from '#test/support/patience.ts';
import { ada, bob, me } from '#test/support/telegram/double.ts';
import { chatOf, double, platform } from './fixture.ts';

const group = -100_500;

async function inGroup(members: Record<number, string> = { [ada.id]: 'administrator', [bob.id]: 'member' }) {
  const telegram = await double();
  telegram.chat({ id: ada.id });
  telegram.chat({ id: bob.id });
  telegram.chat({ id: group, members, topics: [7] });
  return { telegram, bot: await platform(telegram) };
}

const waitFor = <T>(look: () => T, matcher: unknown) =>
  vi.waitFor(() => expect(look()).toEqual(matcher), { timeout: patience, interval: 5 });

describe('a command', () => {
  it('in private is answered with a card', async () => {
    const telegram = await double();
    const bot = await platform(telegram);
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
    const telegram = await double();
    await platform(telegram);
    telegram.say(line);
    await waitFor(() => telegram.texts(ada.id).some((text) => text.includes(hint)), true);
  });

  it.each([
    [bob, 'Bob (id 5002)'],
    [{ ...bob, first_name: '@ada' }, 'ada (id 5002)'],
    [{ ...bob, first_name: '\u202e\n' }, '(id 5002)'],
    [ada, '@ada'],
  ])('is recorded under a name that nobody else can take: %o', async (user, name) => {
    const telegram = await double();
    const bot = await platform(telegram);
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
    async function asked(image?: TelegramPorts['image']) {
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

  it('that starts the bot may begin with a capital, as phones write it', async () => {
    const telegram = await double();
    await platform(telegram);
    telegram.say('Start');
    await waitFor(() => telegram.texts(ada.id), [expect.stringContaining('Tocsin is here')]);
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
    const telegram = await double();
    const bot = await platform(telegram);
    telegram.say('/funding');
    await waitFor(() => telegram.messages.length, 1);
    const [message] = telegram.messages;
    expect(message?.keyboard.flat()).toContainEqual({ text: 'ETHUSDT', callback_data: '>funding ETHUSDT' });
    if (message === undefined) throw new Error('no message');
    telegram.press(message, '>funding ETHUSDT');
    await waitFor(() => bot.asked.map(({ line }) => line), ['funding', 'funding ETHUSDT']);
  });
});

describe('the buttons', () => {
  it('lead through the inputs of a command that changes settings, within one message', async () => {
    const telegram = await double();
    const bot = await platform(telegram);
    telegram.say('/silence');
    await waitFor(() => telegram.messages.length, 1);
    const [message] = telegram.messages;
    if (message === undefined) throw new Error('no message');
    const choose = async (label: string, edits: number) => {
      const button = message.keyboard.flat().find(({ text }) => text === label);
      telegram.press(
        message,
        button?.callback_data ?? `no ${label} among ${JSON.stringify(message.keyboard)}`,
      );
      await waitFor(() => message.edits, edits);
    };
    await choose('Extreme funding', 1);
    await choose('BTCUSDT', 2);
    await choose('1h', 3);
    expect(bot.asked.map(({ line }) => line)).toEqual(['silence funding-extreme BTCUSDT 1h']);
    expect(message.text).toContain('Silenced');
    expect(telegram.messages).toHaveLength(1);
    expect(bot.store.kept.silences).toMatchObject([{ kinds: ['funding-extreme'], symbols: ['BTCUSDT'] }]);
  });

  it('let inputs be left out', async () => {
    const telegram = await double();
    const bot = await platform(telegram);
    telegram.say('/silence');
    await waitFor(() => telegram.messages.length, 1);
    const [message] = telegram.messages;
    if (message === undefined) throw new Error('no message');
    const choose = (label: string) => {
      const button = message.keyboard.flat().find(({ text }) => text === label);
      telegram.press(
        message,
        button?.callback_data ?? `no ${label} among ${JSON.stringify(message.keyboard)}`,
      );
    };
    choose('All');
    await waitFor(() => message.edits, 1);
    choose('Done');
    await waitFor(() => bot.asked.map(({ line }) => line), ['silence']);
  });

  it('cut a long name between two characters', async () => {
    const telegram = await double();
    const label = `${'x'.repeat(39)}😀 and more`;
    const complete = async (line: string) => [{ label, line: `${line}1`, description: '' }];
    await platform(telegram, { ports: { complete } });
    telegram.say('/silence');
    await waitFor(
      () => telegram.messages[0]?.keyboard.flat().map(({ text }) => text)[0],
      `${'x'.repeat(39)}…`,
    );
  });

  it('of settings are for administrators: others get an explanation, and nothing changes', async () => {
    const { telegram, bot } = await inGroup();
    telegram.say('/subscribe all', { chatId: group });
    await waitFor(() => telegram.messages.length, 1);
    const [message] = telegram.messages;
    if (message === undefined) throw new Error('no message');
    const [undo] = message.keyboard.flat();
    const query = telegram.press(message, undo?.callback_data ?? '', bob);
    await waitFor(() => telegram.queries.get(query), expect.stringContaining('administrators'));
    expect(bot.asked).toHaveLength(1);
    expect(bot.store.kept.subscriptions).toHaveLength(1);
  });

  it('are refused with a notice that shows where it is cut', async () => {
    const telegram = await double();
    telegram.chat({ id: group, members: { [ada.id]: 'administrator', [bob.id]: 'member' } });
    const button = { label: 'Pause', command: 'alert pause id=1' };
    const refusal = { title: 'No', summary: 'Word '.repeat(99), forAsker: true as const };
    await platform(telegram, {
      ports: {
        ask: async (request) =>
          String(request) === button.command ? refusal : { title: 'One alert', actions: [button] },
      },
    });
    telegram.say('/alert list', { chatId: group });
    await waitFor(() => telegram.messages.length, 1);
    const [message] = telegram.messages;
    const data = message?.keyboard[0]?.[0]?.callback_data;
    if (message === undefined || data === undefined) throw new Error('no button');
    const query = telegram.press(message, data, bob);
    await waitFor(() => telegram.queries.get(query), expect.stringMatching(/^(Word )+Word…$/));
  });

  it('that a person may not press are answered to them alone, and post nothing', async () => {
    const { telegram, bot } = await inGroup();
    telegram.say('/alert create price.last above=1 btc', { chatId: group });
    await waitFor(() => telegram.messages.length, 1);
    const [message] = telegram.messages;
    const pause = message?.keyboard.flat().find(({ text }) => text === 'Pause')?.callback_data;
    if (message === undefined || pause === undefined) throw new Error('no button');
    const query = telegram.press(message, pause, bob);
    await waitFor(() => telegram.queries.get(query), expect.stringContaining('Only those who manage'));
    telegram.say('/regime', { chatId: group });
    await waitFor(() => telegram.texts(group).length, 2);
    expect(bot.store.kept.rules).toMatchObject([{ paused: false }]);
  });

  it.each([
    ['/subscribe all', 'unsubscribe m1', 'carried out', ['subscribe all', 'unsubscribe m1']],
    ['/funding', 'funding ETHUSDT', 'not answered', ['funding']],
  ])('of %s: %s, pressed hours before a restart, is %s', async (line, pressed, _, asked) => {
    const { telegram, bot } = await inGroup();
    telegram.say(line, { chatId: group });
    await waitFor(() => telegram.messages.length, 1);
    const [message] = telegram.messages;
    if (message === undefined) throw new Error('no message');
    telegram.press(message, `>${pressed}`, ada, { late: true });
    telegram.say('/regime', { chatId: group });
    await waitFor(() => bot.asked.map((each) => each.line), [...asked, 'regime']);
  });

  it.each([
    ['data that the message does not carry', '>forget place confirm=yes', {}],
    ['a message that Telegram does not show any more', '>funding ETHUSDT', { inaccessible: true }],
  ])('run only the command they carry: %s is refused', async (_, data, given) => {
    const telegram = await double();
    const bot = await platform(telegram);
    telegram.say('/funding');
    await waitFor(() => telegram.messages.length, 1);
    const [message] = telegram.messages;
    if (message === undefined) throw new Error('no message');
    const query = telegram.press(message, data, ada, given);
    await waitFor(() => telegram.queries.get(query), expect.stringContaining('no longer does anything'));
    expect(bot.asked.map(({ line }) => line)).toEqual(['funding']);
  });
});

describe('a message typed hours before a restart', () => {
  const hoursAgo = { extra: { date: Math.floor(Date.now() / 1_000) - 3 * 3_600 } };

  it.each(['/market', '/help', 'funding btc'])('is not answered if it is a question: %s', async (line) => {
    const telegram = await double();
    const bot = await platform(telegram);
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
    const telegram = await double();
    const bot = await platform(telegram);
    telegram.say(line, hoursAgo);
    await waitFor(() => bot.store.kept.audit.length, 1);
    await waitFor(() => telegram.texts(ada.id).length, 1);
  });

  it('is welcomed if it started the bot', async () => {
    const telegram = await double();
    await platform(telegram);
    telegram.say('/start', hoursAgo);
    await waitFor(() => telegram.texts(ada.id), [expect.stringContaining('Tocsin is here')]);
  });
});

describe('deep links', () => {
  it.each([
    ['sub_funding_BTCUSDT', 'subscribe funding BTCUSDT preview=yes'],
    ['coin_ETHUSDT', 'coin ETHUSDT'],
  ])('/start %s runs %s', async (payload, line) => {
    const telegram = await double();
    const bot = await platform(telegram);
    telegram.say(`/start ${payload}`);
    await waitFor(() => bot.asked.map((each) => each.line), [line]);
  });

  it('/start sub_funding_BTCUSDT asks before it subscribes', async () => {
    const telegram = await double();
    const bot = await platform(telegram);
    telegram.say('/start sub_funding_BTCUSDT');
    await waitFor(() => telegram.texts(ada.id), [expect.stringContaining('nothing is saved')]);
    expect(bot.store.kept.subscriptions).toEqual([]);
    const [message] = telegram.messages;
    const save = message?.keyboard.flat().find(({ text }) => text === 'Save')?.callback_data;
    if (message === undefined || save === undefined) throw new Error('no button');
    telegram.press(message, save);
    await waitFor(
      () => bot.store.kept.subscriptions.map(({ kinds, symbols }) => ({ kinds, symbols })),
      [{ kinds: ['funding-extreme'], symbols: ['BTCUSDT'] }],
    );
  });

  it.each([
    '',
    'unsubscribe_m1',
    'silence_all',
    'forget_place_yes',
    'alert_delete_all',
    'pause',
    'settings_language_zh',
    'watchlist_clear',
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty_x',
    'nothing_known',
    '!!',
  ])('/start %s changes nothing and shows the welcome', async (payload) => {
    const telegram = await double();
    const bot = await platform(telegram);
    telegram.say(`/start ${payload}`);
    await waitFor(() => telegram.texts(ada.id), [expect.stringContaining('Tocsin is here')]);
    expect(bot.asked).toEqual([]);
  });
});

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
    const undo = telegram.messages[0]?.keyboard.flat()[0]?.callback_data;
    expect(undo).toBe('>unsubscribe @newschannel m1');
    if (telegram.messages[0] === undefined || undo === undefined) throw new Error('no message');
    telegram.press(telegram.messages[0], undo);
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
    await waitFor(() => telegram.messages.length, 1);
    const [message] = telegram.messages;
    const data = message?.keyboard.flat()[0]?.callback_data;
    if (message === undefined || data === undefined) throw new Error('no button');
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

describe('inline mode', () => {
  it('answers @bot btc with a card', async () => {
    const telegram = await double();
    const bot = await platform(telegram);
    const query = telegram.type('btc');
    await waitFor(
      () => telegram.queries.get(query),
      [expect.objectContaining({ title: expect.stringMatching(/^BTC/) })],
    );
    expect(bot.asked[0]?.caller.rights).toBe(viewerRights);
  });

  it('answers the last of what one person types quickly, and delays nobody else', async () => {
    const telegram = await double();
    const bot = await platform(telegram);
    const typed = ['b', 'bt', 'btc', 'e', 'et', 'eth'].map((text) => telegram.type(text));
    const others = telegram.type('sol', bob);
    await waitFor(() => telegram.queries.get(others), [expect.anything()]);
    await waitFor(() => telegram.queries.get(typed.at(-1) ?? ''), [expect.anything()]);
    expect(typed.map((id) => telegram.queries.get(id) !== null)).toEqual([
      true,
      ...[false, false, false, false],
      true,
    ]);
    expect(bot.asked.map(({ line }) => line).sort()).toEqual([
      'coin symbol=BTCUSDT',
      'coin symbol=ETHUSDT',
      'coin symbol=SOLUSDT',
    ]);
  });

  it('lets Telegram cache an answer for its user for half a minute, and an empty one for everyone', async () => {
    const telegram = await double();
    await platform(telegram);
    const queries = [telegram.type('btc'), telegram.type('zzzzzzzzzz', bob)];
    await waitFor(() => queries.map((id) => telegram.queries.get(id) !== null), [true, true]);
    const answers = telegram.calls.filter(({ method }) => method === 'answerInlineQuery');
    expect(answers.map(({ fields }) => [fields.cache_time, fields.is_personal]).sort()).toEqual([
      [30, true],
      [300, undefined],
    ]);
  });

  it.each([
    '"',
    "'btc",
    'constructor',
    '__proto__',
    'symbol=',
    'kinds=all',
    '{"a":',
    '<b>&lt;',
    '\u202ebtc\u0000',
    `${'x'.repeat(39)}😀😀`,
    '/pause',
    'all'.repeat(85),
  ])('answers whatever is typed: %j', async (text) => {
    const telegram = await double();
    const bot = await platform(telegram);
    const query = telegram.type(text);
    await waitFor(() => Array.isArray(telegram.queries.get(query)), true);
    expect(bot.asked.every(({ line }) => line.startsWith('coin '))).toBe(true);
    expect(bot.lines.join('')).not.toContain('could not be handled');
  });

  it('answers nothing if nothing matches', async () => {
    const telegram = await double();
    await platform(telegram);
    const query = telegram.type('zzzzzzzzzz');
    await waitFor(() => telegram.queries.get(query), []);
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
      await waitFor(() => bot.rested, theirs);
      telegram.membership(chatId, status, 'member');
      await waitFor(() => bot.rested, []);
      expect(bot.ended).toEqual([]);
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
      await waitFor(() => bot.rested, [chatOf(group)]);
      telegram.membership(group, 'kicked', membership);
      telegram.membership(group, membership.status, 'kicked');
      await waitFor(() => bot.rested, [chatOf(group), chatOf(group)]);
      expect(telegram.messages).toEqual([]);
    },
  );

  it('that becomes a supergroup is followed', async () => {
    const telegram = await double();
    telegram.chat({ id: -5, type: 'group' });
    const bot = await platform(telegram, { receivers: [chatOf(-5)] });
    telegram.migrate(-5, -1_005);
    telegram.say('', { chatId: -5, extra: { text: undefined, migrate_to_chat_id: -1_005 } });
    await waitFor(() => bot.moved, [[chatOf(-5), chatOf(-1_005)]]);
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
    const telegram = await double();
    await platform(telegram);
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
    await waitFor(() => bot.rested, [chatOf(ada.id)]);
    chat.standing = 'member';
    telegram.say('/market');
    await waitFor(() => bot.rested, []);
    expect(bot.ended).toEqual([]);
  });

  it('to a person whose account is deleted ends their subscriptions', async () => {
    const telegram = await double();
    telegram.chat({ id: ada.id, standing: 'deactivated' });
    const bot = await platform(telegram, { receivers: [chatOf(ada.id)] });
    telegram.say('/market');
    await waitFor(() => bot.ended, [chatOf(ada.id)]);
  });

  it('in a topic that was deleted ends the subscriptions of that topic alone', async () => {
    const telegram = await double();
    telegram.chat({ id: group, topics: [7], members: { [ada.id]: 'creator' } });
    const receivers = [chatOf(group), chatOf(group, 7), chatOf(group, 8)];
    const bot = await platform(telegram, { receivers });
    const deleted = { code: 400, description: 'Bad Request: TOPIC_DELETED' };
    telegram.inject({ method: 'sendMessage', how: { answer: deleted } });
    telegram.say('/market', { chatId: group, thread: 7 });
    await waitFor(() => bot.ended, [chatOf(group, 7)]);
  });

  it('in a topic that is closed rests the subscriptions of that topic alone, until it is opened', async () => {
    const telegram = await double();
    const chat = telegram.chat({ id: group, topics: [7], members: { [ada.id]: 'creator' } });
    const receivers = [chatOf(group), chatOf(group, 7), chatOf(group, 8)];
    const bot = await platform(telegram, { receivers });
    chat.closedTopics.add(7);
    telegram.say('/market', { chatId: group, thread: 7 });
    await waitFor(() => bot.rested, [chatOf(group, 7)]);
    chat.closedTopics.delete(7);
    telegram.say('', { chatId: group, thread: 7, extra: { text: undefined, forum_topic_reopened: {} } });
    await waitFor(() => bot.rested, []);
  });
});

describe('settings as a file', () => {
  const file = '{"tocsin":1,"subscriptions":[{"kinds":["funding-extreme"]}]}';
  const kept = ({ store }: Awaited<ReturnType<typeof platform>>) => store.kept.subscriptions;
  const begun = async () => {
    const telegram = await double();
    telegram.chat({ id: ada.id });
    return { telegram, bot: await platform(telegram) };
  };

  it('are exported as a document, which can be imported by replying to it', async () => {
    const { telegram, bot } = await begun();
    telegram.say('/subscribe funding-extreme');
    await waitFor(() => kept(bot).length, 1);
    telegram.say('/export');
    await waitFor(() => telegram.messages.some(({ document }) => document !== undefined), true);
    const document = telegram.messages.find((each) => each.document !== undefined)?.document;
    const text = Buffer.from(telegram.files.get(document?.fileId ?? '') ?? []).toString();
    expect(JSON.parse(text)).toMatchObject({ subscriptions: [{ kinds: ['funding-extreme'] }] });
    const answered = { document: { file_id: document?.fileId, file_size: document?.bytes } };
    telegram.say('/import', { extra: { reply_to_message: answered } });
    await waitFor(() => telegram.texts(ada.id).some((each) => each.includes('Preview of the import')), true);
  });

  it.each([
    ['with the command as its caption', { caption: '/import confirm=yes' }, 'Imported', 1],
    ['in private without a word: shown first', {}, 'Preview of the import', 0],
    ['that is too large', { size: 1_000_001 }, 'an export at most 1,000', 0],
  ])('are imported by sending a document %s', async (_how, given, says, count) => {
    const { telegram, bot } = await begun();
    telegram.attach(file, given);
    await waitFor(() => telegram.texts(ada.id).some((each) => each.includes(says)), true);
    expect(kept(bot)).toHaveLength(count);
  });

  it('are not imported from a document in a group that does not address the bot', async () => {
    const { telegram, bot } = await inGroup();
    telegram.attach(file, { chatId: group });
    telegram.say('/market', { chatId: group });
    await waitFor(() => telegram.texts(group).length, 1);
    expect(bot.asked).toHaveLength(1);
  });

  it('need a file: the command without one says how to send it', async () => {
    const { telegram } = await begun();
    telegram.say('/import');
    await waitFor(() => telegram.texts(ada.id).some((each) => each.includes('The file is missing')), true);
  });
});
