import { Telegraf } from 'telegraf';
import { afterEach, describe, expect, it } from 'vitest';
import { ada, type DoubleOptions, me, startTelegramDouble, token } from '#test/support/telegram/double.ts';
import { parseHtml } from '#test/support/telegram/html.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function fixture(options: DoubleOptions = { limits: null }) {
  const double = await startTelegramDouble(options);
  open.push(double);
  double.chat({ id: ada.id });
  const { telegram } = new Telegraf(token, { telegram: { apiRoot: double.url } });
  return { double, telegram };
}

const refusal = (
  attempt: Promise<unknown>,
): Promise<{ code: number; description: string; parameters?: object }> =>
  attempt.then(
    () => Promise.reject(new Error('it was accepted')),
    (error) => error,
  );

describe('the double of Telegram, called by a real telegraf client', () => {
  it("accepts a message and returns the bot's identity", async () => {
    const { double, telegram } = await fixture();
    expect((await telegram.getMe()).username).toBe(me.username);
    await telegram.sendMessage(ada.id, '<b>Hi</b> &amp; bye', { parse_mode: 'HTML' });
    expect(double.texts(ada.id)).toEqual(['Hi & bye']);
  });

  it('lets a bot that is no administrator of a channel neither post in it nor see its members', async () => {
    const { double, telegram } = await fixture();
    const channel = { type: 'channel', members: { [ada.id]: 'creator' } } as const;
    double.chat({ id: -1_001, ...channel });
    double.chat({ id: -1_002, ...channel, members: { ...channel.members, [me.id]: 'administrator' } });
    await expect(refusal(telegram.sendMessage(-1_001, 'x'))).resolves.toMatchObject({
      description: expect.stringContaining('need administrator rights'),
    });
    await expect(refusal(telegram.getChatMember(-1_001, ada.id))).resolves.toMatchObject({
      description: expect.stringContaining('member list is inaccessible'),
    });
    expect((await telegram.sendMessage(-1_002, 'x')).text).toBe('x');
    expect((await telegram.getChatMember(-1_002, ada.id)).status).toBe('creator');
  });

  it('delivers only the kinds of updates that were asked for', async () => {
    const { double, telegram } = await fixture();
    await telegram.getUpdates(0, 100, 0, ['message']);
    double.membership(ada.id, 'member', 'kicked');
    double.say('hello');
    expect((await telegram.getUpdates(0, 100, 0, undefined)).map((each) => Object.keys(each)[1])).toEqual([
      'message',
    ]);
  });

  it.each([
    ['a chat it does not know', 400, 'chat not found', { chat: 77 }],
    ['an empty text', 400, 'message text is empty', { text: '<b> </b>' }],
    ['4,097 code points after parsing', 400, 'message is too long', { text: `<b>${'😀'.repeat(4_097)}</b>` }],
    ['an unknown tag', 400, "can't parse entities: Unsupported start tag", { text: '<br>' }],
    ['a tag cut in the middle', 400, "can't parse entities: Unclosed start tag", { text: 'x <b' }],
    ['a tag that is not closed', 400, "can't parse entities: Can't find end tag", { text: '<b>x' }],
    ['the wrong end tag', 400, "can't parse entities: Unmatched end tag", { text: '<b>x</i>' }],
    ['an end without a beginning', 400, "can't parse entities: Unexpected end tag", { text: 'x</b>' }],
    ['a thread that is not there', 400, 'message thread not found', { message_thread_id: 9 }],
    [
      'button data of 65 bytes',
      400,
      'BUTTON_DATA_INVALID',
      { reply_markup: { inline_keyboard: [[{ text: 'x', callback_data: 'x'.repeat(65) }]] } },
    ],
  ])(
    'refuses %s',
    async (_, code, description, { chat = ada.id, text = 'x', ...extra }: Record<string, unknown>) => {
      const { telegram } = await fixture();
      const error = await refusal(
        telegram.sendMessage(Number(chat), String(text), { parse_mode: 'HTML', ...extra } as object),
      );
      expect(error).toMatchObject({ code, description: expect.stringContaining(description) });
    },
  );

  it('counts 4,096 code points after parsing, without the mark-up', async () => {
    const { telegram } = await fixture();
    await telegram.sendMessage(ada.id, `<b>${'&lt;'.repeat(4_096)}</b>`, { parse_mode: 'HTML' });
  });

  it('refuses another token', async () => {
    const { double } = await fixture();
    const { telegram } = new Telegraf('1:wrong', { telegram: { apiRoot: double.url } });
    expect(await refusal(telegram.getMe())).toMatchObject({ code: 401, description: 'Unauthorized' });
  });

  it('allows three messages at once to a private chat, then one a second, and says how long to wait', async () => {
    const { telegram } = await fixture({});
    for (const text of ['1', '2', '3']) await telegram.sendMessage(ada.id, text);
    const error = await refusal(telegram.sendMessage(ada.id, '4'));
    expect(error).toMatchObject({ code: 429, parameters: { retry_after: 1 } });
  });

  it('allows one message a second to a group', async () => {
    const { telegram } = await fixture({ openDoor: true });
    await telegram.sendMessage(-100, '1');
    const error = await refusal(telegram.sendMessage(-100, '2'));
    expect(error).toMatchObject({ code: 429, parameters: { retry_after: 1 } });
  });

  it('allows thirty messages a second in all', async () => {
    const { double, telegram } = await fixture({ openDoor: true });
    await Promise.allSettled(Array.from({ length: 40 }, (_, n) => telegram.sendMessage(n + 1, 'x')));
    expect(double.messages).toHaveLength(30);
    expect(double.refusals(429)).toBe(10);
  });

  it('allows twenty messages a minute to a group', async () => {
    const chat = { per: 1, max: 100 };
    const { telegram } = await fixture({
      openDoor: true,
      limits: { total: chat, person: chat, chat, group: { per: 60_000, max: 20 } },
    });
    for (let n = 0; n < 20; n++) await telegram.sendMessage(-100, 'x');
    expect((await refusal(telegram.sendMessage(-100, 'x'))).parameters).toEqual({ retry_after: 60 });
  });

  it('edits a message, and refuses an edit that changes nothing', async () => {
    const { double, telegram } = await fixture();
    const { message_id } = await telegram.sendMessage(ada.id, 'x');
    await telegram.editMessageText(ada.id, message_id, undefined, 'y');
    expect(double.texts(ada.id)).toEqual(['y']);
    expect(await refusal(telegram.editMessageText(ada.id, message_id, undefined, 'y'))).toMatchObject({
      code: 400,
      description: expect.stringContaining('message is not modified'),
    });
  });

  it('refuses a group that became a supergroup and gives the new chat id', async () => {
    const { double, telegram } = await fixture();
    double.chat({ id: -5, type: 'group' });
    double.migrate(-5, -1_005);
    expect(await refusal(telegram.sendMessage(-5, 'x'))).toMatchObject({
      code: 400,
      parameters: { migrate_to_chat_id: -1_005 },
    });
    await telegram.sendMessage(-1_005, 'x');
  });

  it('delivers updates to one poller, and ends an earlier one with 409', async () => {
    const { double, telegram } = await fixture();
    const first = refusal(telegram.callApi('getUpdates', { timeout: 5 }));
    await expect.poll(double.updates.polled).toBe(true);
    const second = telegram.callApi('getUpdates', { timeout: 5 });
    expect(await first).toMatchObject({ code: 409 });
    await expect.poll(double.updates.polled).toBe(true);
    double.say('/help');
    const [update] = (await second) as { update_id: number }[];
    expect(double.updates.pending()).toHaveLength(1);
    await telegram.callApi('getUpdates', { offset: (update?.update_id ?? 0) + 1 });
    expect(double.updates.pending()).toEqual([]);
  });

  it('refuses a second answer to the same button press', async () => {
    const { double, telegram } = await fixture();
    await telegram.sendMessage(ada.id, 'x');
    const [message] = double.messages;
    if (message === undefined) throw new Error('nothing was sent');
    const id = double.press(message, 'x');
    await telegram.answerCbQuery(id);
    expect(await refusal(telegram.answerCbQuery(id))).toMatchObject({
      code: 400,
      description: expect.stringContaining('query is too old'),
    });
  });

  it.each([
    ['blocked', 403, 'bot was blocked by the user'],
    ['deactivated', 403, 'user is deactivated'],
    ['kicked', 403, 'bot was kicked from the supergroup chat'],
    ['left', 403, 'bot is not a member of the supergroup chat'],
    ['deleted', 403, 'the group chat was deleted'],
    ['restricted', 400, 'not enough rights to send text messages to the chat'],
  ] as const)(
    'refuses a message to a chat where the bot is %s with %i',
    async (standing, code, description) => {
      const { double, telegram } = await fixture();
      double.chat({ id: -9, standing });
      expect(await refusal(telegram.sendMessage(-9, 'x'))).toMatchObject({
        code,
        description: expect.stringContaining(description),
      });
    },
  );
});

describe('a rich message', () => {
  const rows = (count: number) => `<table>${'<tr><td>x</td></tr>'.repeat(count)}</table>`;
  const send = (telegram: Telegraf['telegram'], rich_message: object) =>
    telegram.callApi('sendRichMessage' as 'sendMessage', { chat_id: ada.id, rich_message } as never);

  it('is accepted, and an edit makes it plain and another makes it rich again', async () => {
    const { double, telegram } = await fixture();
    const { message_id } = await send(telegram, { html: '<h3>a &lt; b</h3><p>c<br>d</p>' });
    expect(double.texts(ada.id)).toEqual(['a < b\nc\nd']);
    await telegram.editMessageText(ada.id, message_id, undefined, 'y');
    expect(double.messages[0]).toMatchObject({ text: 'y', rich: undefined });
    const again = { chat_id: ada.id, message_id, rich_message: { html: '<p>z</p>' } };
    await telegram.callApi('editMessageText', again as never);
    expect(double.messages[0]).toMatchObject({ text: 'z', rich: [{ type: 'p' }] });
    await expect(telegram.callApi('editMessageText', again as never)).rejects.toThrow('is not modified');
  });

  it.each([
    ['an unknown tag', '<div>x</div>', 'unsupported tag "div"'],
    ['an unknown attribute', '<p class="x">x</p>', '"p" has class'],
    ['a tag that is not closed', '<p>x', '"p" is not closed'],
    ['tags that cross', '<p><b>x</p></b>', '"</p>" closes "b"'],
    ['a block in a line', '<p><h3>x</h3></p>', '"h3" stands in "p"'],
    ['a cell without a row', '<table><td>x</td></table>', '"td" stands in "table"'],
    ['text between rows', '<table>x<tr><td>x</td></tr></table>', 'text stands in "table"'],
    ['nothing', '<p> </p>', '"p" is empty'],
    ['a picture that does not come with it', '<img src="tg://photo?id=x"/>', 'media not found'],
    ['a time that is none', '<p><tg-time unix="x" format="Dt">x</tg-time></p>', 'RICH_MESSAGE_DATE_INVALID'],
    ['32,769 characters', `<p>${'😀'.repeat(32_769)}</p>`, 'RICH_MESSAGE_TOO_LONG'],
    ['501 blocks', rows(500), 'RICH_MESSAGE_BLOCKS_TOO_MUCH'],
    ['21 columns', `<table><tr>${'<td>x</td>'.repeat(21)}</tr></table>`, 'RICH_MESSAGE_TABLE_COLS_TOO_MUCH'],
    ['17 deep', `${'<blockquote>'.repeat(17)}x${'</blockquote>'.repeat(17)}`, 'RICH_MESSAGE_DEPTH_INVALID'],
  ])('is refused for %s', async (_, html, description) => {
    const { telegram } = await fixture();
    expect(await refusal(send(telegram, { html }))).toMatchObject({
      code: 400,
      description: expect.stringContaining(description),
    });
  });

  it('must be the only content of a message, and needs a server that supports it', async () => {
    const { telegram } = await fixture();
    for (const content of [{}, { html: '<p>x</p>', markdown: 'x' }])
      expect(await refusal(send(telegram, content))).toMatchObject({ code: 400 });
    const older = await fixture({ limits: null, botApi: 10 });
    const html = '<p>x</p>';
    expect(await refusal(send(older.telegram, { html }))).toMatchObject({
      code: 404,
      description: 'Not Found: method not found',
    });
    const { message_id } = await older.telegram.sendMessage(ada.id, 'x');
    const edit = { chat_id: ada.id, message_id, rich_message: { html } };
    await expect(older.telegram.callApi('editMessageText', edit as never)).rejects.toThrow('text is empty');
  });
});

describe('the mark-up parser', () => {
  it.each([
    ['&lt;&gt;&amp;&quot;&#65;&#x42;&nbsp;&', '<>&"AB&nbsp;&', []],
    ['<b>a<i>b</i></b>', 'ab', ['italic', 'bold']],
    ['<span class="tg-spoiler">x</span>', 'x', ['spoiler']],
    ['<a href="https://x.example">x</a>', 'x', ['text_link']],
    ['ask @somebody', 'ask @somebody', ['mention']],
    ['mail@somebody', 'mail@somebody', []],
  ])('reads %s', (html, text, types) => {
    const parsed = parseHtml(html);
    expect(parsed.text).toBe(text);
    expect(parsed.entities.map(({ type }) => type)).toEqual(types);
  });
});
