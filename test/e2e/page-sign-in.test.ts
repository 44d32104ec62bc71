import { expect, it } from 'vitest';
import { second } from '#src/runtime/units.ts';
import { violationsOf } from '#test/support/axe.ts';
import { inBrowser } from '#test/support/browser.ts';
import { newcomer } from '#test/support/newcomer.ts';
import { ada, me, token } from '#test/support/telegram/double.ts';
import { initData, login } from '#test/support/telegram/proofs.ts';

/** A bot on Telegram whose page has a public address, and asks whoever is not known to sign in. */
async function secured() {
  const bot = await newcomer({
    TELEGRAM_TOKEN: token,
    TOCSIN_HTTP_TOKEN: 'the-operators-own-token',
    TOCSIN_HTTP_URL: 'http://localhost',
  });
  bot.telegram.chat({ id: ada.id });
  const at = () => Math.floor(Date.now() / second);
  const app = () =>
    `${bot.url}/sign-in/telegram#${new URLSearchParams({ tgWebAppData: initData({ at: at() }) })}`;
  return { ...bot, at, app };
}

inBrowser('members sign in', ({ look }) => {
  it('as a Mini App: whoever opens it in Telegram has his own chat there, and changes it', async () => {
    const { url, app } = await secured();
    const page = await look(url);
    await page.addInitScript('window.TelegramWebviewProxy = { postEvent() {} }');
    await page.goto(app());
    const chat = page.getByLabel('Chat that this page is about');
    await chat.waitFor();
    expect(new URL(page.url()).searchParams.get('room')).toBe(`telegram:${ada.id}`);
    await page.getByRole('option', { name: 'Telegram' }).waitFor({ state: 'attached' });
    expect(await page.getByRole('link', { name: 'Connect' }).count()).toBe(0);
    await page.setViewportSize({ width: 320, height: 700 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    await page.setViewportSize({ width: 1_200, height: 700 });
    await page.getByRole('link', { name: 'Chat' }).click();
    await page.getByLabel('Command').first().fill('subscribe everything');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('#timeline').getByText('Subscribed').first().waitFor();
    await page.getByLabel('Command').first().fill('pause');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('#timeline').getByText('Only the operator may pause').first().waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Continue with Telegram' }).waitFor();
    expect(page.wrong).toEqual([]);
  });

  it('not by a link with somebody else’s data that is opened in a browser', async () => {
    const { url, app } = await secured();
    const page = await look(url);
    await page.goto(app());
    await page.getByRole('button', { name: 'Continue with Telegram' }).waitFor();
    expect(new URL(page.url()).hash).toBe('');
    expect((await page.context().cookies()).map(({ name }) => name)).toEqual([]);
  });

  it('by Telegram’s login, which knows the browser that began and leaves nothing in its history', async () => {
    const { url, at } = await secured();
    const page = await look(url);
    const asked: URL[] = [];
    await page.route('https://oauth.telegram.org/**', (route) => {
      asked.push(new URL(route.request().url()));
      return route.fulfill({ body: 'Telegram' });
    });
    await page.getByRole('button', { name: 'Continue with Telegram' }).click();
    await page.getByText('Telegram', { exact: true }).waitFor();
    const back = new URL(asked[0]?.searchParams.get('return_to') ?? '');
    expect([asked[0]?.searchParams.get('bot_id'), back.origin]).toEqual([String(me.id), 'http://localhost']);
    await page.goto(`${url}${back.pathname}${back.search}&${login({ at: at() })}`);
    await page.getByLabel('Chat that this page is about').waitFor();
    expect(page.url()).not.toContain('hash=');
  });

  it('on a page that axe finds nothing in, on a phone and on a desk', async () => {
    const { url } = await secured();
    const page = await look(url, { bypassCSP: true });
    for (const width of [320, 1_440]) {
      await page.setViewportSize({ width, height: 800 });
      expect([width, await violationsOf(page)]).toEqual([width, []]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
  });
});
