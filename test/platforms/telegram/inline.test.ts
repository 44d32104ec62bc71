import { describe, expect, it } from 'vitest';
import type { PublicPictures } from '#src/platforms/ports.ts';
import { viewerRights } from '#src/shell/rights.ts';
import { bob } from '#test/support/telegram/double.ts';
import { talk, waitFor } from './fixture.ts';

interface InlineArticle {
  readonly input_message_content: { readonly link_preview_options: object };
}

describe('inline mode', () => {
  it('answers @bot btc with its card, its funding and its levels, each of which can be posted', async () => {
    const { telegram, bot } = await talk();
    const query = telegram.type('btc');
    await waitFor(
      () => telegram.queries.get(query),
      [0, 1, 2].map((id) => expect.objectContaining({ id: `${id}`, title: expect.stringContaining('BTC') })),
    );
    expect(bot.asked.map(({ line }) => line)).toEqual(
      ['coin', 'funding', 'levels'].map((name) => `${name} symbol=BTCUSDT`),
    );
    for (const { caller } of bot.asked)
      expect(caller).toMatchObject({ rights: viewerRights, readByOthers: true });
  });

  it('answers the last of what one person types quickly, and delays nobody else', async () => {
    const { telegram, bot } = await talk();
    const typed = ['b', 'bt', 'btc', 'e', 'et', 'eth'].map((text) => telegram.type(text));
    const others = telegram.type('sol', bob);
    const answered = (id: string | undefined) => Array.isArray(telegram.queries.get(id ?? ''));
    await waitFor(() => answered(others) && answered(typed.at(-1)), true);
    expect(typed.map((id) => telegram.queries.get(id) !== null)).toEqual([
      true,
      ...[false, false, false, false],
      true,
    ]);
    expect(bot.asked.flatMap(({ line }) => (line.startsWith('coin') ? line : [])).sort()).toEqual([
      'coin symbol=BTCUSDT',
      'coin symbol=ETHUSDT',
      'coin symbol=SOLUSDT',
    ]);
  });

  it('lets Telegram cache an answer for its user for half a minute, and an empty one for everyone', async () => {
    const { telegram } = await talk();
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
    const { telegram, bot } = await talk();
    const query = telegram.type(text);
    await waitFor(() => Array.isArray(telegram.queries.get(query)), true);
    expect(bot.asked.every(({ line }) => /^(coin|funding|levels) symbol=/.test(line))).toBe(true);
    expect(bot.lines.join('')).not.toContain('could not be handled');
  });

  it('shows a card’s picture where the page has a public address, and no page’s preview where it has none', async () => {
    const previews = async (pictures?: PublicPictures) => {
      const { telegram } = await talk({ ports: { pictures } });
      const query = telegram.type('btc');
      await waitFor(() => Array.isArray(telegram.queries.get(query)), true);
      return (telegram.queries.get(query) as InlineArticle[]).map(
        ({ input_message_content: content }) => content.link_preview_options,
      );
    };
    const none = { is_disabled: true };
    expect(await previews()).toEqual([none, none, none]);
    const url = 'https://tocsin.example.org/pictures/1.png';
    const publish: PublicPictures['publish'] = ({ chart, later }) => (chart ?? later) && url;
    expect(await previews({ publish, read: async () => undefined })).toContainEqual({
      url,
      prefer_large_media: true,
      show_above_text: true,
    });
  });

  it('answers nothing if nothing matches', async () => {
    const { telegram } = await talk();
    const query = telegram.type('zzzzzzzzzz');
    await waitFor(() => telegram.queries.get(query), []);
  });
});
