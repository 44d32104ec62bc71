import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { second } from '#src/runtime/units.ts';
import { violationsOf } from '#test/support/axe.ts';
import { inBrowser } from '#test/support/browser.ts';
import { noSettings } from '#test/support/console.ts';
import { faults } from '#test/support/faults.ts';
import { newcomer } from '#test/support/newcomer.ts';
import { ada } from '#test/support/telegram/double.ts';

inBrowser('from nothing to a sample alert', ({ look, open }) => {
  it('who may do what is listed beside the keys, as the settings say it', async () => {
    const row = { source: 'file', meaning: '' } as const;
    const settings = {
      ...noSettings,
      list: () => [
        { ...row, path: 'http.token', shown: '…' },
        { ...row, path: 'http.viewerToken', shown: '', source: 'default' as const },
        { ...row, path: 'operators', shown: '["terminal","discord:42"]' },
      ],
    };
    const { page } = await open('/keys', { settings });
    const users = page.locator('.places').first().getByRole('listitem');
    await users.filter({ hasText: 'Whoever has the page’s token' }).getByText('http.token').waitFor();
    await users.filter({ hasText: 'terminal, discord:42' }).getByText('pause all sending').waitFor();
    await users.filter({ hasText: 'viewer’s token' }).getByText('nobody: no such token is set').waitFor();
    await users.filter({ hasText: '"Manage Server" on Discord' }).waitFor();
    expect(page.wrong).toEqual([]);
  });

  it('Discord: a token, an invitation and a sample take at most ten clicks, without a restart', async () => {
    const { url, discord, written, home, restart } = await newcomer();
    const page = await look(url);
    let clicks = 0;
    const begun = performance.now();
    const click = async (...given: Parameters<typeof page.getByRole>) => {
      clicks += 1;
      await page.getByRole(...given).click();
    };
    await click('link', { name: 'Connect' });
    await click('link', { name: /^Discord/ });
    await page.getByLabel('Bot token').fill('not-a-token');
    await click('button', { name: 'Connect' });
    await page.locator('.failure').getByText('three parts with dots between').waitFor();
    const wrong = discord.token.replace('a-secret', 'another');
    await page.getByLabel('Bot token').fill(wrong);
    await click('button', { name: 'Connect' });
    await page.locator('.failure').getByText('Discord does not accept this').waitFor();
    clicks -= 2;
    await page.getByLabel('Bot token').fill(discord.token);
    await click('button', { name: 'Connect' });
    const invitation = page.getByRole('link', { name: /^Add / });
    const link = new URL((await invitation.getAttribute('href')) ?? '');
    expect([link.origin, link.searchParams.get('client_id')]).toEqual([
      'https://discord.com',
      discord.application,
    ]);
    expect(await page.getByRole('img', { name: 'The same link for a phone' }).count()).toBe(1);
    await page.getByText('Waiting until the bot is somewhere…').waitFor();
    // A server in which it may not post is told apart from none.
    const closed = discord.addGuild('A closed server');
    closed.channel.canSend = false;
    discord.gateway.dispatch('GUILD_CREATE', closed.guild);
    await page
      .getByRole('alert')
      .getByText(/^In A closed server the bot may not post: give it/)
      .waitFor();
    expect(await page.getByText('Waiting until the bot is somewhere…').count()).toBe(0);
    // In Discord: a click on the link, one on the server, one on Authorise.
    clicks += 3;
    const { guild, channel } = discord.addGuild('My server');
    discord.gateway.dispatch('GUILD_CREATE', guild);
    await page.getByText('It may post in 1 place').waitFor();
    await click('button', { name: 'Send a sample alert' });
    await page.getByText('The sample has arrived there.').waitFor();
    const posts = () => discord.channels.get(channel.id)?.messages ?? [];
    expect(posts().filter(({ embeds }) => JSON.stringify(embeds).includes('TEST: '))).toHaveLength(1);
    expect(clicks).toBeLessThanOrEqual(10);
    expect(performance.now() - begun).toBeLessThan(60 * second);
    await page.getByRole('button', { name: 'Get the standard alerts there' }).click();
    await page.locator('.done').getByText('Subscribed').waitFor();

    await page.goto(`${url}/destinations`);
    const place = page.locator('.places > li', { hasText: 'My server · #general' });
    await place.getByRole('button', { name: /^Test:/ }).click();
    await place.getByText('The sample has arrived there.').waitFor();
    await place.getByRole('button', { name: /^Mute 24 h:/ }).click();
    await place.getByText('Muted until').waitFor();
    await place.getByRole('button', { name: /^Unmute:/ }).click();
    await place.getByText('Muted until').waitFor({ state: 'detached' });
    // Its posts are given a look, which is seen first as both chats show it, and saved as the command does.
    await place.locator('summary').click();
    await place.getByRole('radio', { name: 'Own words' }).check();
    await place.getByRole('button', { name: 'headline' }).click();
    const words = place.getByLabel('Template');
    expect(await words.inputValue()).toBe('{market}: {title}\n{change1h}');
    await words.fill('{nothing}');
    await place.getByRole('alert').getByText('There is no part {nothing}').waitFor();
    await words.fill('Ours: {title}\n{price}');
    await place.getByLabel('Colour').fill('#30a46c');
    await place.getByLabel(/^Footer/).fill('Our desk https://example.com/');
    await place.locator('.discord .title', { hasText: 'Ours: ' }).waitFor();
    await place.locator('.telegram .title', { hasText: 'Ours: ' }).waitFor();
    await place.getByRole('button', { name: 'Save' }).click();
    await place.locator('.done').getByText('Subscription changed').waitFor();
    await page.reload();
    await place.locator('summary', { hasText: 'Own words' }).click();
    expect(await words.inputValue()).toBe('Ours: {title}\n{price}');
    expect(await place.getByLabel('Colour').inputValue()).toBe('#30a46c');
    expect(await place.getByLabel(/^Footer/).inputValue()).toBe('Our desk https://example.com/');
    // The token is in its own file, which nobody else may read, and nowhere else.
    const file = join(home, 'tocsin.db.connections');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toContain(discord.token);
    const seen = [...written, await page.content(), await (await fetch(`${url}/api/connecting`)).text()];
    expect(seen.filter((text) => text.includes(discord.token) || text.includes(wrong))).toEqual([]);
    const database = await readFile(join(home, 'tocsin.db'));
    expect(database.includes(discord.token)).toBe(false);

    expect(page.wrong.filter((each) => !/status of (400|409)/.test(each))).toEqual([]);
    await page.close();
    const again = await look(`${await restart()}/connect/discord`);
    await again.getByText('It may post in 1 place').waitFor();
    await again.getByRole('button', { name: 'Disconnect' }).click();
    await again.getByLabel('Bot token').waitFor();
    expect(await readFile(file, 'utf8')).not.toContain(discord.token);
    expect(again.wrong).toEqual([]);
  });

  /** Connects a platform without a pointer, until it waits for a place, and sends a sample once `join` has given it one. */
  async function connectByKeyboard(
    page: Page,
    platform: string,
    { token, join }: { readonly token: string; readonly join: () => void },
  ) {
    const { keyboard } = page;
    /** Presses Tab until what has the focus has this name. */
    const reach = async (name: RegExp) => {
      for (let pressed = 0; pressed < 60; pressed += 1) {
        const focused = await page.evaluate(
          '(document.activeElement?.labels?.[0] ?? document.activeElement)?.textContent ?? ""',
        );
        if (name.test(String(focused))) return;
        await keyboard.press('Tab');
      }
      throw new Error(`nothing called ${name} can be reached`);
    };
    await keyboard.press('7');
    await page.getByRole('link', { name: new RegExp(`^${platform}`) }).waitFor();
    await reach(new RegExp(`^${platform}`));
    await keyboard.press('Enter');
    await page.getByLabel('Bot token').waitFor();
    await reach(/^Bot token/);
    await keyboard.insertText(token);
    await keyboard.press('Enter');
    const link = page.getByRole('link', { name: /^Add / });
    await link.waitFor();
    await reach(/^Add /);
    const address = await link.getAttribute('href');
    join();
    await page.getByText('It may post in 1 place').waitFor();
    await reach(/^Send a sample alert$/);
    await keyboard.press('Enter');
    await page.getByText('The sample has arrived there.').waitFor();
    return address;
  }

  it('the same by keyboard alone: Discord, and Telegram beside it', async () => {
    const { url, discord, telegram } = await newcomer();
    const page = await look(url);
    const { guild, channel } = discord.addGuild('My server');
    await connectByKeyboard(page, 'Discord', {
      token: discord.token,
      join: () => discord.gateway.dispatch('GUILD_CREATE', guild),
    });
    const posts = discord.channels.get(channel.id)?.messages ?? [];
    expect(posts.filter(({ embeds }) => JSON.stringify(embeds).includes('TEST: '))).toHaveLength(1);
    await page.goto(url);
    // Before it is drawn a page hears no key.
    await page.locator('.connection[data-state=open]').waitFor();
    const address = await connectByKeyboard(page, 'Telegram', {
      token: telegram.token,
      join() {
        telegram.chat({ id: ada.id, title: 'Ada' });
        telegram.say('/start', { chatId: ada.id });
      },
    });
    expect(address).toBe('https://t.me/tocsin_bot');
    expect(telegram.messages.filter((each) => JSON.stringify(each).includes('TEST: '))).toHaveLength(1);
    expect(page.wrong).toEqual([]);
  });

  it('what is set up is readable at any width, in any language and theme, and axe finds nothing', async () => {
    const { url } = await newcomer();
    for (const [locale, colorScheme, widths] of [
      ['en-US', 'dark', [320, 768, 2560]],
      ['es-ES', 'light', [320, 1440]],
      ['zh-CN', 'dark', [320, 1440]],
      ['ru-RU', 'light', [320]],
    ] as const) {
      const page = await look(`${url}/settings`, { locale, colorScheme, bypassCSP: true });
      for (const view of ['settings', 'destinations', 'connect', 'connect/email', 'keys']) {
        await page.evaluate(
          `history.pushState(null, '', '/${view}'); dispatchEvent(new PopStateEvent('popstate'))`,
        );
        await page.locator('.empty.waiting').waitFor({ state: 'detached' });
        if (view === 'settings') await page.getByRole('searchbox').fill('funding');
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 });
          expect([locale, view, width, await faults(page)]).toEqual([locale, view, width, []]);
        }
        expect([locale, view, await violationsOf(page, 'main')]).toEqual([locale, view, []]);
      }
      expect(page.wrong).toEqual([]);
      await page.close();
    }
  });
});
