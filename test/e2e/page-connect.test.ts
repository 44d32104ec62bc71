import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { second } from '#src/runtime/units.ts';
import { inBrowser } from '#test/support/browser.ts';
import { noSettings } from '#test/support/console.ts';
import { faults } from '#test/support/faults.ts';
import { newcomer } from '#test/support/newcomer.ts';
import { ada } from '#test/support/telegram/double.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

inBrowser('from nothing to a sample alert', ({ look, start }) => {
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
    const { url } = await start({ settings });
    const page = await look(`${url}/keys`);
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

  /** Returns what a person without a pointer does at a page. */
  const byKeyboard = (page: Page) => ({
    /** Presses Tab until what has the focus has this name. */
    async reach(name: RegExp) {
      for (let pressed = 0; pressed < 60; pressed += 1) {
        const focused = await page.evaluate(
          '(document.activeElement?.labels?.[0] ?? document.activeElement)?.textContent ?? ""',
        );
        if (name.test(String(focused))) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`nothing called ${name} can be reached`);
    },
  });

  it('Discord: the same by keyboard alone', async () => {
    const { url, discord } = await newcomer();
    const page = await look(url);
    const { keyboard } = page;
    const { reach } = byKeyboard(page);
    await keyboard.press('7');
    await page.getByRole('link', { name: /^Discord/ }).waitFor();
    await reach(/^Discord/);
    await keyboard.press('Enter');
    await page.getByLabel('Bot token').waitFor();
    await reach(/^Bot token/);
    await keyboard.insertText(discord.token);
    await keyboard.press('Enter');
    await page.getByRole('link', { name: /^Add / }).waitFor();
    await reach(/^Add /);
    const { guild, channel } = discord.addGuild('My server');
    discord.gateway.dispatch('GUILD_CREATE', guild);
    await page.getByText('It may post in 1 place').waitFor();
    await reach(/^Send a sample alert$/);
    await keyboard.press('Enter');
    await page.getByText('The sample has arrived there.').waitFor();
    const posts = discord.channels.get(channel.id)?.messages ?? [];
    expect(posts.filter(({ embeds }) => JSON.stringify(embeds).includes('TEST: '))).toHaveLength(1);
    expect(page.wrong).toEqual([]);
  });

  it('Telegram: the same by keyboard alone', async () => {
    const { url, telegram } = await newcomer();
    const page = await look(url);
    const { keyboard } = page;
    const { reach } = byKeyboard(page);
    await keyboard.press('7');
    await page.getByRole('link', { name: /^Telegram/ }).waitFor();
    await reach(/^Telegram/);
    await keyboard.press('Enter');
    await page.getByLabel('Bot token').waitFor();
    await reach(/^Bot token/);
    await keyboard.insertText(telegram.token);
    await keyboard.press('Enter');
    const link = page.getByRole('link', { name: 'Add @tocsin_bot' });
    expect(await link.getAttribute('href')).toBe('https://t.me/tocsin_bot');
    telegram.chat({ id: ada.id, title: 'Ada' });
    telegram.say('/start', { chatId: ada.id });
    await page.getByText('It may post in 1 place').waitFor();
    await reach(/^Send a sample alert$/);
    await keyboard.press('Enter');
    await page.getByText('The sample has arrived there.').waitFor();
    expect(telegram.messages.filter((each) => JSON.stringify(each).includes('TEST: '))).toHaveLength(1);
    expect(page.wrong).toEqual([]);
  });

  it.each([
    ['en-US', 'dark', [320, 768, 2560]],
    ['es-ES', 'light', [320, 1440]],
    ['zh-CN', 'dark', [320, 1440]],
  ] as const)(
    'in %s, %s: what is set up is readable at any width, and axe finds nothing',
    async (locale, colorScheme, widths) => {
      const { url } = await newcomer();
      const page = await look(`${url}/settings`, { locale, colorScheme, bypassCSP: true });
      await page.addScriptTag({ content: axe });
      for (const view of ['settings', 'destinations', 'connect', 'connect/email']) {
        await page.evaluate(
          `history.pushState(null, '', '/${view}'); dispatchEvent(new PopStateEvent('popstate'))`,
        );
        await page.locator('.empty.waiting').waitFor({ state: 'detached' });
        if (view === 'settings') await page.getByRole('searchbox').fill('funding');
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 });
          expect([view, width, await faults(page)]).toEqual([view, width, []]);
        }
        const { violations } = (await page.evaluate(
          `axe.run('main', { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
        )) as { violations: { id: string; nodes: { html: string }[] }[] };
        expect([view, violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])]).toEqual([
          view,
          [],
        ]);
      }
      expect(page.wrong).toEqual([]);
    },
  );
});
