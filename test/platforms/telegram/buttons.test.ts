import { describe, expect, it } from 'vitest';
import { plainReader } from '#src/language/say.ts';
import type { Ports } from '#src/platforms/ports.ts';
import { joiner } from '#src/runtime/links.ts';
import { ada, bob } from '#test/support/telegram/double.ts';
import { asks, dataOf, double, firstMessage, group, inGroup, platform, talk, waitFor } from './fixture.ts';

describe('the buttons', () => {
  it('lead through the inputs of a command that changes settings, within one message', async () => {
    const { telegram, bot } = await talk();
    telegram.say('/silence');
    const message = await firstMessage(telegram);
    for (const [step, label] of ['Extreme funding', 'BTCUSDT', '1h'].entries()) {
      telegram.press(message, dataOf(message, label));
      await waitFor(() => message.edits, step + 1);
    }
    expect(bot.asked.map(({ line }) => line)).toEqual(['silence funding-extreme BTCUSDT 1h']);
    expect(message.text).toContain('Silenced');
    expect(telegram.messages).toHaveLength(1);
    expect(bot.store.kept.silences).toMatchObject([{ kinds: ['funding-extreme'], symbols: ['BTCUSDT'] }]);
  });

  it.each([
    ['Hourly', 'Which quiet hours?', 'Done'],
    ['Weekly', 'On which day?', 'Wednesday'],
  ])('ask only what belongs to the answers so far: %s, then "%s"', async (delivery, question, answer) => {
    const { telegram } = await talk();
    telegram.say('/subscribe');
    const message = await firstMessage(telegram);
    for (const [step, label] of ['Extreme funding', 'All', 'Critical only', delivery].entries()) {
      const labels = message.keyboard.flat().map(({ text }) => text);
      expect(labels).toEqual([...new Set(labels.map((each) => (each === 'all' ? 'All' : each)))]);
      telegram.press(message, dataOf(message, label));
      await waitFor(() => message.edits, step + 1);
    }
    expect(message.text).toContain(question);
    telegram.press(message, dataOf(message, answer));
    await waitFor(() => message.edits, 5);
    expect(message.text).not.toContain('Can’t do that');
  });

  it.each(['profile', 'unpin', 'unsilence'])('ask nothing that has no choice: %s is run', async (line) => {
    const { telegram, bot } = await talk();
    telegram.say(`/${line}`);
    await asks(bot, [line]);
  });

  it('let inputs be left out', async () => {
    const { telegram, bot } = await talk();
    telegram.say('/silence');
    const message = await firstMessage(telegram);
    telegram.press(message, dataOf(message, 'All'));
    await waitFor(() => message.edits, 1);
    telegram.press(message, dataOf(message, 'Done'));
    await asks(bot, ['silence']);
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
    const message = await firstMessage(telegram);
    const query = telegram.press(message, dataOf(message), bob);
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
    const message = await firstMessage(telegram);
    const data = dataOf(message);
    const query = telegram.press(message, data, bob);
    await waitFor(() => telegram.queries.get(query), expect.stringMatching(/^(Word )+Word…$/));
  });

  it('that a person may not press are answered to them alone, and post nothing', async () => {
    const { telegram, bot } = await inGroup();
    telegram.say('/alert create price.last above=1 btc', { chatId: group });
    const message = await firstMessage(telegram);
    const query = telegram.press(message, dataOf(message, 'Pause'), bob);
    await waitFor(() => telegram.queries.get(query), expect.stringContaining('Only those who manage'));
    telegram.say('/regime', { chatId: group });
    await waitFor(() => telegram.texts(group).length, 2);
    expect(bot.store.kept.rules).toMatchObject([{ paused: false }]);
  });

  it.each(['plain', 'rich'] as const)(
    'whose command does not fit run what their %s message shows, also after a restart',
    async (messages) => {
      const telegram = await double();
      const save = `alert create symbols=1000PEPEUSDT when="${'price.last > 0.00055 && '.repeat(4)}a: /b"`;
      const asked: string[] = [];
      const ask: Ports['ask'] = async (request) => {
        asked.push(String(request).replaceAll(joiner, ''));
        const actions = [{ label: 'Save', command: save }];
        return { title: 'Save: /forget', actions, reader: { ...plainReader, messages } };
      };
      const first = await platform(telegram, { ports: { ask } });
      telegram.say('/alert pepe above 0.00055');
      const message = await firstMessage(telegram);
      await first.close();
      await platform(telegram, { ports: { ask } });
      telegram.press(message, dataOf(message, 'Save'));
      await waitFor(() => asked.slice(1), [save]);
    },
  );

  it.each([
    ['/subscribe all', 'unsubscribe m1', 'carried out', ['subscribe all', 'unsubscribe m1']],
    ['/funding', 'funding ETHUSDT', 'not answered', ['funding']],
  ])('of %s: %s, pressed hours before a restart, is %s', async (line, pressed, _, asked) => {
    const { telegram, bot } = await inGroup();
    telegram.say(line, { chatId: group });
    const message = await firstMessage(telegram);
    telegram.press(message, `>${pressed}`, ada, { late: true });
    telegram.say('/regime', { chatId: group });
    await asks(bot, [...asked, 'regime']);
  });

  it.each([
    ['data that the message does not carry', '>forget place confirm=yes', {}],
    ['a message that Telegram does not show any more', '>funding ETHUSDT', { inaccessible: true }],
  ])('run only the command they carry: %s is refused', async (_, data, given) => {
    const { telegram, bot } = await talk();
    telegram.say('/funding');
    const message = await firstMessage(telegram);
    const query = telegram.press(message, data, ada, given);
    await waitFor(() => telegram.queries.get(query), expect.stringContaining('no longer does anything'));
    expect(bot.asked.map(({ line }) => line)).toEqual(['funding']);
  });
});

describe('deep links', () => {
  it.each([
    ['sub_funding_BTCUSDT', 'subscribe funding BTCUSDT preview=yes'],
    ['coin_ETHUSDT', 'coin ETHUSDT'],
  ])('/start %s runs %s', async (payload, line) => {
    const { telegram, bot } = await talk();
    telegram.say(`/start ${payload}`);
    await asks(bot, [line]);
  });

  it('/start sub_funding_BTCUSDT asks before it subscribes', async () => {
    const { telegram, bot } = await talk();
    telegram.say('/start sub_funding_BTCUSDT');
    await waitFor(() => telegram.texts(ada.id), [expect.stringContaining('nothing is saved')]);
    expect(bot.store.kept.subscriptions).toEqual([]);
    const message = await firstMessage(telegram);
    telegram.press(message, dataOf(message, 'Save'));
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
    const { telegram, bot } = await talk();
    telegram.say(`/start ${payload}`);
    const keyboard = payload === '' ? [expect.stringContaining('keys below')] : [];
    await waitFor(() => telegram.texts(ada.id), [expect.stringContaining('Tocsin is here'), ...keyboard]);
    expect(bot.asked).toEqual([]);
  });
});
