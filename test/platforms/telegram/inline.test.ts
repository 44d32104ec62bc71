import { describe, expect, it } from 'vitest';
import { viewerRights } from '#src/shell/rights.ts';
import { bob } from '#test/support/telegram/double.ts';
import { talk, waitFor } from './fixture.ts';

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
    expect(bot.asked[0]?.caller.rights).toBe(viewerRights);
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

  it('answers nothing if nothing matches', async () => {
    const { telegram } = await talk();
    const query = telegram.type('zzzzzzzzzz');
    await waitFor(() => telegram.queries.get(query), []);
  });
});
