import { expect, it } from 'vitest';
import { newcomer } from '#test/support/newcomer.ts';
import { token } from '#test/support/telegram/double.ts';

it('an inline answer’s picture can be read by Telegram, which has no token of the page’s', async () => {
  const { url, telegram } = await newcomer({
    TELEGRAM_TOKEN: token,
    TOCSIN_HTTP_TOKEN: 'the-operators-own-token',
    TOCSIN_HTTP_URL: 'http://localhost',
  });
  const query = telegram.type('btc');
  await expect.poll(() => telegram.queries.get(query), { timeout: 20_000 }).toBeInstanceOf(Array);
  const [, address = ''] =
    /"url":"http:\/\/localhost(\/pictures\/[0-9a-f]+\.png)"/.exec(
      JSON.stringify(telegram.queries.get(query)),
    ) ?? [];
  const answer = await fetch(`${url}${address}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(new Uint8Array(await answer.arrayBuffer()).slice(1, 4)).toEqual(new TextEncoder().encode('PNG'));
});
