import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { Secret } from '#src/runtime/secret.ts';
import type { BotStatus } from '#src/shell/command.ts';
import { inBrowser } from '#test/support/browser.ts';
import { alertCard, botStatus } from '#test/support/console.ts';
import { readEvents } from '#test/support/events.ts';

inBrowser('asking and reading on the page', ({ start, visit, chat }) => {
  const say = async (page: Page, line: string) => {
    await page.keyboard.type(line);
    await page.keyboard.press('Enter');
  };
  const enter = async (page: Page, token: string) => {
    await page.getByLabel('token').fill(token);
    await page.keyboard.press('Enter');
  };

  it('the page sends the trailing space when it asks for completions', async () => {
    const asked: string[] = [];
    const { page } = await chat({
      complete: async (line) => {
        asked.push(line);
        return [];
      },
    });
    await page.keyboard.type('funding ');
    await expect.poll(() => asked.at(-1)).toBe('funding ');
  });

  it('Tab completes a begun word; the next Tab leaves the line', async () => {
    const { page } = await chat({
      complete: async (line) =>
        line.endsWith(' ')
          ? [{ label: 'BTC', line: `${line}BTC`, description: 'a market' }]
          : [{ label: 'market', line: 'market', description: 'what goes on' }],
    });
    await page.keyboard.type('ma');
    await page.locator('#completions > div').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.inputValue('#line')).toBe('market ');
    await page.locator('#completions').getByText('BTC').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.inputValue('#line')).toBe('market ');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Send');
  });

  it('an answer is drawn once, although it comes as the response and over the room’s stream', async () => {
    const { page } = await chat();
    await page.evaluate(`
      globalThis.drawn = 0;
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          for (const node of addedNodes) if (node.querySelector?.('.card')) globalThis.drawn += 1;
      }).observe(document.getElementById('timeline'), { childList: true });
    `);
    const both = Promise.all([page.waitForResponse('**/api/commands?*'), page.locator('.card').waitFor()]);
    await say(page, 'help');
    await both;
    // A second question is answered only after the first answer has come both ways.
    await say(page, 'market');
    await page.locator('.card').nth(1).waitFor();
    expect(await page.evaluate('globalThis.drawn')).toBe(2);
    expect(await page.locator('.changed').count()).toBe(0);
  });

  it('an answer that waits for a preview ends as its final version, whichever version comes first', async () => {
    const { page } = await chat({
      ask: async () => ({ title: 'Checking', later: Promise.resolve({ title: 'Checked' }) }),
    });
    await page.route('**/api/commands?*', async (route) => {
      const response = await route.fetch();
      await page.getByRole('heading', { name: 'Checked' }).waitFor();
      await route.fulfill({ response });
    });
    const answered = page.waitForResponse('**/api/commands?*');
    await say(page, 'subscribe');
    await (await answered).finished();
    await page.keyboard.type('a');
    expect(await page.getByRole('heading', { name: 'Checking' }).count()).toBe(0);
  });

  it('a reply links to its message, also after an edit and after a reload', async () => {
    const { page, post } = await chat();
    await post(alertCard);
    await post({ title: 'It got worse' }, { id: 'post-2', replyTo: 'post-1' });
    const link = page.locator('#message-post-2 .reply');
    await link.waitFor();
    await post({ title: 'It is over' }, { id: 'post-2', edited: true });
    await page.getByText('It is over').waitFor();
    expect(await link.getAttribute('href')).toBe('#message-post-1');
    await page.reload();
    await link.waitFor();
  });

  it('a long answer is scrolled to its top, a short one to the end', async () => {
    const rows = Array.from({ length: 80 }, (_, n) => [`row ${n}`]);
    const { page, post } = await chat(
      {
        ask: async (line) =>
          line === 'long' ? { title: 'Long', table: { columns: ['Row'], rows } } : { title: 'Short' },
      },
      { width: 390, height: 700 },
    );
    const ask = async (line: string) => {
      await page.locator('#line').fill(line);
      await page.keyboard.press('Enter');
    };
    /** Returns the pixels from the upper edge of the chat to the newest question. */
    const top = () =>
      page.evaluate(`(() => {
        const edge = document.getElementById('scroll').getBoundingClientRect().top;
        return Math.round([...document.querySelectorAll('.line')].at(-1).getBoundingClientRect().top - edge);
      })()`);
    await post(alertCard);
    await ask('long');
    await page.getByText('row 79').waitFor();
    await expect.poll(top).toBe(16);
    await post(alertCard, { id: 'post-2' });
    await page.getByRole('button', { name: 'New messages' }).waitFor();
    expect(await top()).toBe(16);
    await ask('short');
    await page.getByRole('heading', { name: 'Short' }).waitFor();
    const fromEnd = () =>
      page.locator('#scroll').evaluate((main) => main.scrollHeight - main.scrollTop - main.clientHeight);
    await expect.poll(fromEnd).toBeLessThan(2);
  });

  it('the page shows at once that the data service is dead: the clock stops and says since when', async () => {
    let status: BotStatus = botStatus;
    const { page } = await chat({ status: async () => status });
    const clock = page.locator('.clock');
    await clock.locator('time').waitFor();
    for (const minutes of [5, 10]) {
      const marketTime = botStatus.marketTime + minutes * 60_000;
      status = { ...botStatus, marketTime, away: { since: botStatus.marketTime } };
      await page.getByRole('alert').getByText('Data service not answering').waitFor();
      await clock.getByText(`${minutes} min ago`).waitFor();
      const stood = await clock.locator('time').getAttribute('datetime');
      expect(Date.parse(String(stood))).toBe(botStatus.marketTime);
      expect(await clock.getAttribute('class')).toContain('old');
    }
    // The banner is below the header and as wide as the page.
    const banner = await page.getByRole('alert').boundingBox();
    expect([banner?.x, banner?.width]).toEqual([0, 1_200]);
    expect(banner?.y).toBeGreaterThan(42);
    // The stale feed is a consequence of the dead data service and is not listed separately.
    await page.getByRole('link', { name: 'Health' }).click();
    const wrong = page.getByRole('region', { name: 'What is wrong' }).getByRole('listitem');
    expect(await wrong.allTextContents()).toEqual([
      'Data service not answering1 feed and 0 detectors wait for it',
    ]);
    status = botStatus;
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await expect.poll(() => clock.getAttribute('class')).toBe('clock');
  });

  it('the page asks for the token off loopback, and opens for the right token', async () => {
    const { page, asked } = await chat({ token: new Secret('the-operators-own-token') });
    await enter(page, 'another one');
    await page.getByText('this is not the token').waitFor();
    expect(await page.locator('#composer').count()).toBe(0);
    await enter(page, 'the-operators-own-token');
    await page.locator('.connection[data-state=open]').waitFor();
    await say(page, 'market');
    await page.locator('.card').waitFor();
    expect(asked).toHaveLength(1);
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.reload();
    await page.locator('.connection[data-state=open]').waitFor();
  });

  it('a page whose token was changed asks for the new one', async () => {
    const first = await start({ token: new Secret('the-operators-own-token') });
    const page = await visit(first.url);
    await enter(page, 'the-operators-own-token');
    await page.locator('.connection[data-state=open]').waitFor();
    await first.close();
    await start({ token: new Secret('the-token-of-later'), port: Number(new URL(first.url).port) });
    await page.getByLabel('token').waitFor();
  });

  it('a page too many says so, and opens once another has been closed', async () => {
    const { page, url } = await chat();
    await page.goto('about:blank');
    const others: Awaited<ReturnType<typeof readEvents>>[] = [];
    while (others.length < 64) {
      const other = await readEvents(`${url}/api/events`);
      if (other.status === 200) others.push(other);
    }
    await page.goto(url);
    await page.getByRole('alert').getByText('Too many pages are open: close one.').waitFor();
    for (const each of others) each.close();
    await page.locator('.connection[data-state=open]').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('a person can sign out, and is asked for the token again', async () => {
    const token = 'the-viewers-own-token';
    const { page } = await chat({
      token: new Secret('the-operators-own-token'),
      viewerToken: new Secret(token),
    });
    await enter(page, token);
    await page.locator('.connection[data-state=open]').waitFor();
    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByText('You are here as viewer').waitFor();
    await page.getByRole('region', { name: 'Checks against the exchange' }).getByText('1 failure').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('token').waitFor();
    expect(page.wrong).toEqual([]);
  });
});
