import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import telegram from '#src/platforms/telegram/platform.ts';
import { createPace } from '#src/runtime/pace.ts';
import { fakeClock } from '#test/support/clock.ts';
import { alertCard } from '#test/support/console.ts';
import type { Message } from '#test/support/telegram/chats.ts';
import { token } from '#test/support/telegram/double.ts';
import { createLimiter, realLimits } from '#test/support/telegram/limits.ts';
import { at, notifier as fixture, never, png, post, titled } from './notifying.ts';

describe('a Telegram post', () => {
  it('makes a sound if it is loud, and none if it is routine', async () => {
    const { double, send } = await fixture();
    await send(post());
    await send(post({ loud: false }));
    expect(double.messages.map(({ silent }) => silent)).toEqual([false, true]);
  });

  it('without room for every row of a group gets replies with all of them, each with its turn of the pace', async () => {
    const { double, turns, send } = await fixture();
    const row = (index: number) => [`${'A long title of row '.repeat(5)}${index}.`, 'Warning', 'Firing'];
    const rows = Array.from({ length: 100 }, (_, index) => row(index));
    const card = { title: '100 alerts', table: { columns: ['Alert', 'Severity', 'Status'], rows } };
    await send(post({ card }));
    const [first, ...details] = double.messages;
    expect(details.map(({ text }) => text).join('\n')).toMatch(/row 0\.(.|\n)*row 99\./);
    expect(details.every(({ silent }) => silent)).toBe(true);
    expect(first?.text).not.toContain('row 99.');
    expect(turns).toEqual(details.map(() => 'edit 5'));
  });

  describe('shows the time of its data', () => {
    const dataTime = Date.now();
    const dated = () => post({ card: { ...alertCard, dataTime } });
    const times = ({ messages }: { readonly messages: readonly Message[] }) =>
      messages.map(({ entities }) => entities.flatMap(({ unixTime }) => unixTime ?? []));
    const unix = Math.floor(dataTime / 1_000);

    it('in the time zone of each reader', async () => {
      const { double, send } = await fixture();
      await send(dated());
      expect(times(double)).toEqual([[unix]]);
    });

    it.each([
      ['a message', async () => undefined],
      ['a picture', async () => ({ png: new Uint8Array([0x89, 0x50, 0x4e, 0x47]), alt: 'It rose' })],
    ])('as text if the server is too old, which %s finds out once', async (_what, image) => {
      const { double, edit, send } = await fixture(image, { botApi: 9.4 });
      for (let each = 0; each < 2; each++) await send(dated());
      const reference = await send(dated());
      await edit(reference, post({ card: { ...titled('It eased'), dataTime } }));
      expect(double.messages).toHaveLength(3);
      expect(double.messages.map(({ text }) => text)).toEqual(
        Array(3).fill(expect.stringMatching(/as of .* UTC/)),
      );
      expect(double.refusals(400)).toBeLessThanOrEqual(2);
      expect(times(double)).toEqual([[], [], []]);
    });

    it('as text if the time is further ahead than Telegram accepts, as in a simulated market', async () => {
      const { double, send } = await fixture(undefined, { now: () => dataTime - 1_001 * 86_400_000 });
      await send(dated());
      expect(times(double)).toEqual([[]]);
    });
  });

  it('succeeds even if its replies with details are refused', async () => {
    const { double, send } = await fixture();
    const rows = Array.from({ length: 100 }, (_, index) => [`${'Long '.repeat(20)}${index}`]);
    const card = { title: '100 alerts', table: { columns: ['Alert'], rows } };
    const refused = { answer: { code: 400, description: 'Bad Request: message to be replied not found' } };
    double.inject({ method: 'sendMessage', after: 1, how: refused });
    expect(await send(post({ card }))).toMatch(/^\d+$/);
    expect(double.messages).toHaveLength(1);
  });

  it('is a reply to the post that it escalates, or a plain post if that is gone', async () => {
    const { double, send } = await fixture();
    const first = await send(post());
    await send(post({ replyTo: first }));
    await send(post({ replyTo: '99' }));
    expect(double.messages.map(({ replyTo }) => replyTo)).toEqual([undefined, 1, undefined]);
  });

  it('goes to the topic "General" without a thread, which that topic does not have', async () => {
    const { double, send } = await fixture();
    double.chat({ id: -100_7, topics: [3] });
    await send(post(), at({ chatId: '-1007', threadId: 1 }));
    expect(double.messages.map(({ thread }) => thread)).toEqual([undefined]);
    expect(telegram.addressFormat.read('telegram:-1007/1')).toEqual({ chatId: '-1007' });
    expect(telegram.address.parse({ chatId: -1007, threadId: 1 })).toEqual({ chatId: '-1007' });
    expect(telegram.addressFormat.read('telegram:-1007/3')).toEqual({ chatId: '-1007', threadId: 3 });
  });

  it('goes to its topic', async () => {
    const { double, send } = await fixture();
    double.chat({ id: -100_7, topics: [3] });
    await send(post(), at({ chatId: '-1007', threadId: 3 }));
    expect(double.messages.map(({ thread }) => thread)).toEqual([3]);
  });

  it('carries its commands as buttons', async () => {
    const { double, send } = await fixture();
    await send(post());
    expect(double.messages[0]?.keyboard).toEqual([
      [
        { text: 'Silence for 4 h', callback_data: '>silence funding-extreme BTCUSDT 4h' },
        { text: 'BTCUSDT now', callback_data: '>coin BTCUSDT' },
      ],
    ]);
  });

  it('shows the chart with the text below it, uploaded once for all chats', async () => {
    const { double, send } = await fixture(async () => ({ png: png('a chart'), alt: '' }));
    for (const id of [5, 6, 7]) {
      double.chat({ id });
      await send(post(), at({ chatId: String(id) }));
    }
    expect(double.messages.map(({ photo }) => photo?.bytes)).toEqual([11, 11, 11]);
    expect(double.texts(7)[0]).toContain(alertCard.title);
    const uploads = double.calls.filter(({ fields }) => fields.photo === 'attach://file');
    expect(uploads).toHaveLength(1);
  });

  it('is sent without its picture if that is refused or the text is too long for a caption', async () => {
    const { double, send } = await fixture(async () => ({ png: Buffer.from('no picture'), alt: '' }));
    await send(post());
    const long = { ...alertCard, summary: 'x '.repeat(700) };
    await send(post({ card: long }));
    expect(double.messages.map(({ photo }) => photo)).toEqual([undefined, undefined]);
  });
});

describe('a post to a group that takes no photos', () => {
  const pictured = () => fixture(async () => ({ png: png('drawn'), alt: '' }));
  const to = at({ chatId: '-1009' });

  it('is sent without its picture, and a later edit stays a text', async () => {
    const { double, edit, send } = await pictured();
    double.chat({ id: -1009, takesPhotos: false });
    const reference = await send(post(), to);
    await edit(reference, post({ card: titled('Over') }), to);
    expect(double.messages).toMatchObject([{ photo: undefined, text: expect.stringContaining('Over') }]);
  });

  it('has a new caption if it was a photo before', async () => {
    const { double, edit, send } = await pictured();
    const group = double.chat({ id: -1009 });
    const reference = await send(post(), to);
    group.takesPhotos = false;
    await edit(reference, post({ card: titled('Over') }), to);
    expect(double.messages).toMatchObject([{ photo: { bytes: 9 }, text: expect.stringContaining('Over') }]);
  });
});

describe('a pause that Telegram asks for', () => {
  const refused = (seconds: number) => ({
    answer: {
      code: 429,
      description: `Too Many Requests: retry after ${seconds}`,
      parameters: { retry_after: seconds },
    },
  });

  it.each([
    [7, 7_000],
    [3_600, 60_000],
  ])('holds the whole chat with all its topics, for a minute at most: %i s', async (seconds, blocked) => {
    const { double, edit, blocks, send } = await fixture();
    double.chat({ id: -100_9, type: 'supergroup' });
    const to = at({ chatId: '-1009', threadId: 3 });
    const outcome = { kind: 'rate_limited', retryAfter: seconds * 1_000 };
    double.inject({ method: 'sendMessage', how: refused(seconds) });
    await expect(send(post(), to)).rejects.toMatchObject({ outcome });
    double.inject({ method: 'editMessageText', how: refused(seconds) });
    await expect(edit('1', post(), to)).rejects.toMatchObject({ outcome });
    expect(blocks).toEqual([
      ['-1009', blocked],
      ['-1009', blocked],
    ]);
  });

  it('is kept although a proxy asks for it, whose answer is no JSON', async () => {
    const { double, send } = await fixture();
    double.inject({ how: 'rate limit of a proxy' });
    await expect(send(post())).rejects.toMatchObject({
      outcome: { kind: 'rate_limited', retryAfter: 9_000 },
    });
  });
});

describe('an edit of a Telegram post', () => {
  it('in a group that has become a supergroup finds no message: the same id is another message there', async () => {
    const { double, connection, edit, send } = await fixture();
    const [group, supergroup] = [-5, -1_000_000_000_005];
    double.chat({ id: group, type: 'group' });
    const there = at({ chatId: String(group) });
    const reference = await send(post(), there);
    expect(await edit(reference, post(), there)).toBe(reference);
    double.migrate(group, supergroup);
    double.calls.length = 0;
    const address = { chatId: String(supergroup) };
    const here = { address, signal: never };
    expect(connection.link?.(reference, address)).toBeUndefined();
    await send(post({ replyTo: reference }), here);
    expect(await edit(reference, post({ card: titled('It eased') }), here)).toBeNull();
    const moved = await send(post({ card: titled('It eased'), loud: false }), here);
    await edit(moved, post({ card: titled('It ended') }), here);
    expect(double.calls.map(({ method }) => method)).toEqual([
      'sendMessage',
      'sendMessage',
      'editMessageText',
    ]);
    expect(double.messages.slice(1)).toMatchObject([
      { replyTo: undefined },
      { text: expect.stringContaining('It ended') },
    ]);
  });

  it('rewrites the text, and succeeds if nothing changes', async () => {
    const { double, edit, send } = await fixture();
    const reference = await send(post());
    for (const _ of [1, 2]) {
      expect(await edit(reference, post({ card: titled('Over') }))).toBe(reference);
    }
    expect(double.texts(5)).toEqual([expect.stringContaining('Over')]);
    expect(double.refusals(400)).toBe(1);
  });

  it('rewrites picture and caption together, or the caption alone', async () => {
    let picture: Uint8Array | undefined = png('first');
    const { double, edit, send } = await fixture(async () =>
      picture === undefined ? undefined : { png: picture, alt: '' },
    );
    const reference = await send(post());
    picture = png('the second');
    await edit(reference, post({ card: titled('Eased') }));
    expect(double.messages[0]).toMatchObject({
      text: expect.stringContaining('Eased'),
      photo: { bytes: 14 },
    });
    picture = undefined;
    await edit(reference, post({ card: titled('Over') }));
    expect(double.messages[0]).toMatchObject({ text: expect.stringContaining('Over'), photo: { bytes: 14 } });
    expect(double.messages).toHaveLength(1);
  });

  it('changes the caption if an edit whose response was lost has made a photo of the text', async () => {
    let picture: Uint8Array | undefined;
    const { double, connection, edit, send } = await fixture(
      async () => picture && { png: picture, alt: '' },
    );
    const to = at({ chatId: '5' });
    const reference = await send(post(), to);
    picture = png('drawn');
    double.inject({ method: 'editMessageMedia', how: 'reset after' });
    await expect(edit(reference, post({ card: titled('Worse') }), to)).rejects.toThrow();
    picture = undefined;
    const changed = await edit(reference, post({ card: titled('Over') }), to);
    expect(changed).toBe(`p${reference}`);
    expect(connection.isSameMessage?.(reference, String(changed))).toBe(true);
    expect(connection.isSameMessage?.(reference, `p${reference}1`)).toBe(false);
    expect(double.messages).toMatchObject([{ photo: { bytes: 9 }, text: expect.stringContaining('Over') }]);
  });

  it('finds no message if it was deleted, and posts none by itself', async () => {
    const { double, edit } = await fixture();
    const notification = post({ card: titled('Over') });
    expect(await edit('77', notification)).toBeNull();
    expect(double.messages).toEqual([]);
  });

  it.each([
    ['a supergroup', { chatId: '-1001234' }, 'https://t.me/c/1234/7'],
    ['a topic of one', { chatId: '-1001234', threadId: 5 }, 'https://t.me/c/1234/5/7'],
    ['a small group', { chatId: '-1234' }, undefined],
    ['a person', { chatId: '1234' }, undefined],
  ])('has a link in %s, or none', async (_, chat, url) => {
    const { connection } = await fixture();
    expect(connection.link?.('p7', chat)).toBe(url);
  });

  it('removes the buttons if there are none any more', async () => {
    const { double, edit, send } = await fixture();
    const reference = await send(post());
    await edit(reference, post({ card: { title: 'Over' } }));
    expect(double.messages[0]?.keyboard).toEqual([]);
  });
});

describe('a token that Telegram refuses', () => {
  it('is reported once with the remedy, and nothing more is requested for a minute', async () => {
    const { double, send, refusals } = await fixture();
    double.revoke();
    for (const _ of [1, 2, 3]) {
      const error: unknown = await send(post()).catch((cause) => cause);
      expect(error).toMatchObject({ outcome: { kind: 'unavailable', accepted: 'no' } });
      expect(inspect(error, { depth: 20 })).not.toContain(token);
    }
    expect(refusals).toEqual([expect.stringContaining('@BotFather')]);
    expect(double.calls).toHaveLength(1);
  });

  it.each([
    [401, 'Unauthorized'],
    [404, 'Not Found'],
  ])(
    'is asked for again: one passing %i costs a minute, and that it is over is reported',
    async (code, description) => {
      let now = 0;
      const { double, refusals, send } = await fixture(undefined, { steady: { now: () => now } });
      double.inject({ how: { answer: { code, description } } });
      await expect(send(post())).rejects.toMatchObject({ outcome: { kind: 'unavailable', accepted: 'no' } });
      now = 59_999;
      await expect(send(post())).rejects.toMatchObject({ outcome: { kind: 'unavailable', accepted: 'no' } });
      expect(double.calls).toHaveLength(1);
      now = 60_000;
      await send(post());
      await send(post());
      expect(double.messages).toHaveLength(2);
      expect(refusals).toEqual([expect.stringContaining('@BotFather'), 'over']);
    },
  );

  it.each(['', 'x', '12345:short', 'AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawX'])(
    'is not even tried if it does not look like one: %j',
    (given) => {
      expect(telegram.options.safeParse({ token: given }).success).toBe(false);
    },
  );
});

describe('the response time of Telegram', () => {
  it('reaches the pace for messages and edits, refused ones too, and is never underestimated', async () => {
    const { double, delays, edit, send } = await fixture();
    const reference = await send(post());
    await edit(reference, post({ card: titled('Over') }));
    await send(post(), at({ chatId: '77' })).catch(() => {});
    expect(delays).toHaveLength(3);
    expect(double.calls).toHaveLength(3);
    for (const [begun, reached] of delays) expect(reached).toBeGreaterThanOrEqual(begun);
  });
});

describe('the rate limits', () => {
  const { perAddress = [], paceKey, spread, total } = telegram.limits;

  it('apply to a chat with all its topics, and 20 a minute only to groups', () => {
    const place = paceKey?.({ chatId: '-1007', threadId: 3 }, 'post') ?? '';
    expect(place).toBe(paceKey?.({ chatId: '-1007' }, 'edit'));
    const minute = perAddress.find(({ per }) => per > 60_000);
    expect([place, '5'].map((of) => minute?.appliesTo?.(of))).toEqual([true, false]);
  });

  it('let a person’s button presses and answers use Telegram’s burst without a refusal', async () => {
    const clock = fakeClock();
    const pace = createPace(telegram.limits, clock);
    const limiter = createLimiter(realLimits, clock.now);
    const steps: number[] = [];
    const tap = async () => {
      await pace.take('5', { lane: 'answer', signal: never });
      expect(limiter.take('5')).toBe(0);
      steps.push(clock.now());
    };
    const taps = Promise.all([1, 2, 3, 4, 5, 6, 7].map(tap));
    await clock.advance(10_000);
    await taps;
    expect(steps).toEqual([0, 0, 0, 3_300, 3_300, 3_300, 6_600]);
  });

  it('allow at most 30 messages in any second, and an answer within a third of a second', () => {
    const totals = [total ?? []].flat();
    expect(totals.some(({ per, max }) => max <= 30 && per > 1_000)).toBe(true);
    expect(spread?.per).toBeLessThanOrEqual(300);
  });
});
