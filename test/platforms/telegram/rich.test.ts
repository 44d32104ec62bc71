import { describe, expect, it } from 'vitest';
import type { Card } from '#src/card/card.ts';
import { plainReader } from '#src/language/say.ts';
import type { Notification } from '#src/platforms/notifier.ts';
import { alertCard } from '#test/support/console.ts';
import { at, notifier, png, post } from './notifying.ts';

const image = async () => ({ png: png('a chart'), alt: '' });
type Notifier = Awaited<ReturnType<typeof notifier>>;

/** Builds the notification for a chat that has or has not chosen rich messages. */
const said = (messages: 'plain' | 'rich', over: Partial<Card<string>> = {}): Notification =>
  post({ card: { ...alertCard, reader: { ...plainReader, messages }, ...over } });
const rich = (over?: Partial<Card<string>>) => said('rich', over);

/** Returns the kind of each message as the chat sees it. */
const shown = ({ double }: Notifier) =>
  double.messages.map((message) => {
    const picture = message.photo === undefined ? '' : ' with a picture';
    return `${message.rich === undefined ? 'plain' : 'rich'}${picture}`;
  });
const asked = ({ double }: Notifier) => double.calls.map(({ method }) => method);
const failsOnce = (n: Notifier, description: string, method = 'sendRichMessage') =>
  n.double.inject({ method, how: { answer: { code: 400, description: `Bad Request: ${description}` } } });

describe('in a chat that has chosen rich messages', () => {
  it('an alert is rich: silent or loud, as a reply, with its buttons and its picture', async () => {
    const n = await notifier(image);
    const first = await n.send(rich());
    await n.send({ ...rich(), loud: false, replyTo: first });
    expect(shown(n)).toEqual(['rich with a picture', 'rich with a picture']);
    const [, answer] = n.double.messages;
    expect(answer).toMatchObject({ silent: true, replyTo: Number(first) });
    expect(answer?.keyboard.flat()).toHaveLength(2);
    expect(answer?.rich?.map(({ type }) => type)).toEqual(['h3', 'p', 'img', 'footer']);
  });

  it('a picture is uploaded once for all chats', async () => {
    const n = await notifier(image);
    for (const id of [5, 6, 7]) {
      n.double.chat({ id });
      await n.send(rich(), at({ chatId: String(id) }));
    }
    expect(shown(n)).toEqual(Array(3).fill('rich with a picture'));
    expect(n.double.files.size).toBe(1);
    const uploads = n.double.calls.filter(({ fields }) => String(fields.rich_message).includes('attach://'));
    expect(uploads).toHaveLength(1);
  });

  it('a card that one chat takes without its photo stays rich in the others', async () => {
    const n = await notifier(image);
    n.double.chat({ id: -6, takesPhotos: false });
    const shared = rich();
    await n.send(shared, at({ chatId: '-6' }));
    await n.send(shared);
    expect(shown(n)).toEqual(['plain', 'rich with a picture']);
  });

  it('a message that every app must show, or that carries a file, is plain', async () => {
    const n = await notifier();
    await n.send(rich({ plain: true }));
    await n.send(rich({ file: { name: 'tocsin.json', text: '{}' } }));
    expect(shown(n)).toEqual(['plain', 'plain']);
    expect(asked(n)).toEqual(['sendMessage', 'sendDocument']);
  });

  it('a message without room for every row gets replies with all of them', async () => {
    const n = await notifier();
    const rows = Array.from({ length: 100 }, (_, index) => [`${'A long title of row '.repeat(5)}${index}.`]);
    await n.send(rich({ table: { columns: ['Alert'], rows: rows.slice(0, 50) } }));
    expect(n.double.messages).toHaveLength(1);
    await n.send(rich({ table: { columns: ['Alert'], rows } }));
    expect(n.double.texts(5).slice(2).join('\n')).toMatch(/row 0\.(.|\n)*row 99\./);
  });
});

describe('a message that is edited', () => {
  it.each([
    ['plain', 'rich', 'rich'],
    ['rich', 'plain', 'plain'],
    ['rich', 'rich', 'rich'],
  ] as const)(
    'posted as a %s text and edited after the chat has chosen %s is %s',
    async (before, now, is) => {
      const n = await notifier();
      const reference = await n.send(said(before));
      const ended = said(now, { title: 'Over', status: 'resolved' });
      expect(await n.edit(reference, ended)).toBe(reference);
      // The same edit again, as after a lost response.
      expect(await n.edit(reference, ended)).toBe(reference);
      expect(shown(n)).toEqual([is]);
      expect(n.double.texts(5)[0]).toMatch(/^✅ Over\n/);
    },
  );

  it.each([
    ['plain', 'rich', 'a photo, which has a caption', 'plain with a picture'],
    ['rich', 'plain', 'a photo too', 'plain with a picture'],
    ['rich', 'rich', 'rich', 'rich with a picture'],
  ] as const)(
    'posted %s with a picture and edited after the chat has chosen %s is %s',
    async (before, now, _, is) => {
      const n = await notifier(image);
      const reference = await n.send(said(before));
      let edited = reference;
      for (const title of ['Eased', 'Over']) edited = String(await n.edit(edited, said(now, { title })));
      expect(shown(n)).toEqual([is]);
      expect(n.double.texts(5)[0]).toContain('Over');
      expect(n.double.refusals(400)).toBe(0);
    },
  );
});

describe('a rich message that Telegram refuses', () => {
  it.each([
    ['for what is in it', 'RICH_MESSAGE_EMAIL_INVALID'],
    ['for a time in it', 'RICH_MESSAGE_DATE_INVALID'],
  ])('%s is sent as plain once, and the next one is rich', async (_why, description) => {
    const n = await notifier();
    failsOnce(n, description);
    const dated = { dataTime: Date.now() };
    const reference = await n.send(rich(dated));
    failsOnce(n, description, 'editMessageText');
    await n.edit(reference, rich({ ...dated, title: 'Over' }));
    await n.send(rich(dated));
    expect(shown(n)).toEqual(['plain', 'rich']);
    const times = n.double.messages.map(({ entities }) => entities.some(({ type }) => type === 'date_time'));
    expect(times).toEqual([true, !description.includes('DATE')]);
    expect(n.warnings).toEqual(Array(2).fill(expect.stringContaining('has not taken a rich message')));
  });

  it('gets replies with the rows that the plain message has no room for', async () => {
    const n = await notifier();
    failsOnce(n, 'RICH_MESSAGE_EMAIL_INVALID');
    const rows = Array.from({ length: 50 }, (_, index) => [`${'A long title of row '.repeat(5)}${index}.`]);
    await n.send(rich({ table: { columns: ['Alert'], rows } }));
    expect(n.double.texts(5).slice(1).join('\n')).toMatch(/row 0\.(.|\n)*row 49\./);
  });

  it('because of its picture is sent as plain without it', async () => {
    const n = await notifier(async () => ({ png: Buffer.from('no picture'), alt: '' }));
    await n.send(rich());
    expect(shown(n)).toEqual(['plain']);
    expect(asked(n)).toEqual(['sendRichMessage', 'sendPhoto', 'sendMessage']);
  });

  it.each([
    ['posts', 10, ['sendRichMessage', 'sendMessage', 'sendMessage', 'editMessageText']],
    [
      'posts, and times neither,',
      9.4,
      ['sendRichMessage', 'sendMessage', 'sendMessage', 'sendMessage', 'editMessageText'],
    ],
  ])('because the server is older is sent as plain: %s, found out once', async (_what, botApi, methods) => {
    const n = await notifier(undefined, { botApi });
    const card = { dataTime: Date.now() };
    await n.send(rich(card));
    const reference = await n.send(rich(card));
    await n.edit(reference, rich({ ...card, title: 'Over' }));
    expect(asked(n)).toEqual(methods);
    expect(shown(n)).toEqual(['plain', 'plain']);
  });

  it('because the server takes no pictures in it (10.1) is plain with its picture, and rich without one', async () => {
    const n = await notifier(image, { botApi: 10.1 });
    await n.send(rich());
    const { chart: _, ...unpictured } = alertCard;
    await n.send(post({ card: { ...unpictured, reader: { ...plainReader, messages: 'rich' } } }));
    expect(shown(n)).toEqual(['plain with a picture', 'rich']);
  });

  it('because the server is older is found out by an edit too', async () => {
    const n = await notifier(undefined, { botApi: 10 });
    const reference = await n.send(said('plain'));
    for (const title of ['Eased', 'Over']) await n.edit(reference, rich({ title }));
    expect(n.double.refusals(400)).toBe(1);
    expect(n.double.texts(5)).toEqual([expect.stringContaining('Over')]);
  });

  it.each([
    ['a lost answer', 'reset after' as const, { kind: 'unavailable', accepted: 'unknown' }, 1],
    ['no answer', 'hang' as const, { kind: 'unavailable', accepted: 'unknown' }, 0],
    ['a pause', { answer: { code: 429, description: 'Too Many Requests' } }, { kind: 'rate_limited' }, 0],
    [
      'a chat that is closed',
      { answer: { code: 403, description: 'Forbidden: bot was blocked' } },
      { kind: 'barred' },
      0,
    ],
  ])('is not sent as plain after %s: the pipeline decides', async (_what, how, outcome, count) => {
    const n = await notifier();
    n.double.inject({ method: 'sendRichMessage', how });
    await expect(n.send(rich())).rejects.toMatchObject({ outcome });
    expect(asked(n)).toEqual(['sendRichMessage']);
    expect(n.double.messages).toHaveLength(count);
  });
});
