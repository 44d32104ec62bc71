import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Card } from '#src/card/card.ts';
import { inBrowser } from '#test/support/browser.ts';
import { alertCard, botStatus } from '#test/support/console.ts';
import { memoryMessages } from '#test/support/messages.ts';

inBrowser('the page in a real browser', ({ start, visit, chat }) => {
  /** Returns the number of lines that the text of each matching element takes. */
  const linesOf = (page: Page, selector: string) =>
    page.evaluate(`[...document.querySelectorAll('${selector}')].map((each) => {
      const range = document.createRange();
      range.selectNodeContents(each);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    })`);
  const titles = (page: Page) => page.locator('.message h3').allTextContents();

  it('a command is typed with completion and answered with a card', async () => {
    const { page, asked } = await chat();
    await page.locator('#empty').waitFor();
    await page.keyboard.type('ma');
    await page.locator('#completions > div').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.inputValue('#line')).toBe('market ');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.locator('.card .plot svg:has(path)').first().waitFor();
    expect(await titles(page)).toEqual(['Market: MARKUP, RISK_ON']);
    expect(await page.locator('.card td').allTextContents()).toContain('61,204.5');
    expect(await page.locator('#empty').isVisible()).toBe(false);
    expect(asked.map(({ line, caller }) => [line, caller.timeZone])).toEqual([['market', 'Asia/Tokyo']]);
    await page.keyboard.press('ArrowUp');
    expect(await page.inputValue('#line')).toBe('market');
    expect(page.wrong).toEqual([]);
  });

  it('an alert arrives, is edited in place, resolves, and is there after a reload', async () => {
    const { page, post } = await chat();
    await post(alertCard);
    await page.locator('.card[data-severity=critical][data-status=firing] .plot svg:has(path)').waitFor();
    await post({ title: 'Another' }, { id: 'post-2' });
    await post({ ...alertCard, status: 'resolved', title: 'It is over' }, { edited: true });
    await page.locator('.card[data-status=resolved]').waitFor();
    expect(await titles(page)).toEqual(['It is over', 'Another']);
    await page.reload();
    await page.locator('.card[data-status=resolved]').waitFor();
    expect(await titles(page)).toEqual(['It is over', 'Another']);
    expect(page.wrong).toEqual([]);
  });

  it('a chart has a second panel, bars, bands and moments, and a legend for them', async () => {
    const { page, post } = await chat();
    const points = (sign: number): [number, number][] =>
      [0, 1, 2, 3].map((n) => [n * 3_600_000, sign * (n + 1)]);
    await post({
      title: 'Open interest',
      chart: {
        title: 'Open interest',
        unit: 'USD',
        series: [{ name: 'value', points: points(1) }],
        below: { unit: '%', series: [{ name: 'rate', points: points(-1), shape: 'bars', tone: 'bad' }] },
        bands: [{ name: 'Risk off', from: 0, to: 3_600_000, tone: 'caution' }],
        moments: [{ name: 'fired', at: 7_200_000 }],
      },
    });
    await page.locator('.card .plot svg:has(path)').first().waitFor();
    expect(await page.locator('.legend li').allTextContents()).toEqual([
      'value $4',
      'rate −4.00%',
      'Risk off',
      'fired',
    ]);
    expect(await page.locator(`.card .plot path[stroke="var(--rule)"]`).count()).toBe(2);
    expect(page.wrong).toEqual([]);
  });

  it('an action button runs its command, and a failure of the bot is shown', async () => {
    const { page, post, asked } = await chat({
      ask: () => Promise.reject(new Error('broken')),
    });
    await post(alertCard);
    await page.getByRole('button', { name: 'Silence for 4 h' }).click();
    await page.getByRole('alert').getByText('this failed on our side').waitFor();
    expect(await page.locator('.line').allTextContents()).toEqual(['silence funding-extreme BTCUSDT 4h']);
    expect(asked).toEqual([]);
  });

  it('hostile text is shown as text', async () => {
    const { page, post } = await chat();
    const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    const card: Card<string> = {
      title: evil,
      summary: evil,
      facts: [{ name: evil, value: evil }],
      table: { columns: [evil], rows: [[evil]] },
      chart: {
        title: evil,
        unit: evil,
        series: [{ name: evil, points: [[0, 1]] }],
        marks: [{ name: evil, value: 1 }],
        below: { unit: evil, series: [{ name: evil, points: [[0, -1]], shape: 'bars' }] },
        bands: [{ name: evil, from: 0, to: 1, tone: 'good' }],
        moments: [{ name: evil, at: 0 }],
      },
      actions: [{ label: evil, command: evil }],
      source: evil,
    };
    await post(card, { id: '"><b>1' });
    await page.locator('.card .plot svg:has(path)').first().waitFor();
    expect(await titles(page)).toEqual([evil]);
    expect(await page.locator('main img, main script, main b').count()).toBe(0);
    expect(await page.title()).toBe('Tocsin');
    expect(page.wrong).toEqual([]);
  });

  it('every view shows where the data comes from; ages, budget and outbox are a click away', async () => {
    const { page } = await chat();
    await page.getByText('simulated, 240 ×').waitFor();
    await page.getByText('1 of 3 feeds stale').click();
    await page.getByText('the socket is silent').waitFor();
    await page.getByText('87/300 requests').waitFor();
    expect(await page.getByRole('region', { name: 'Outbox' }).textContent()).toContain('waiting2');
    await page.getByText('simulated, 240 ×').waitFor();
  });

  it('switches to the language that its room chooses', async () => {
    let language: 'en' | 'zh' = 'en';
    const { page } = await chat({
      reader: async () => ({ language, timeZone: 'UTC' }),
      async ask() {
        language = 'zh';
        return { title: '设置已更改' };
      },
    });
    await page.getByText('Nothing has happened yet').waitFor();
    await page.keyboard.type('settings zh');
    await page.keyboard.press('Enter');
    await page.getByText('模拟，240 ×').waitFor();
    expect(await titles(page)).toEqual(['设置已更改']);
    expect(await page.getAttribute('html', 'lang')).toBe('zh');
    expect(page.wrong).toEqual([]);
  });

  it('reconnects after a restart, with what it missed', async () => {
    const messages = memoryMessages();
    const first = await start({ messages });
    const page = await visit(first.url);
    await first.close();
    await page.locator('.connection[data-state=lost]').waitFor();
    const port = Number(new URL(first.url).port);
    const second = await start({ messages, port });
    await second.post(alertCard);
    await page.locator('.connection[data-state=open]').waitFor();
    await page.locator('.card').waitFor();
    expect(await titles(page)).toEqual([alertCard.title]);
    // The browser itself logs the failed requests.
    expect(page.wrong.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
  });

  it('keeps a reader at the end there, and tells a reader further up of new messages without scrolling', async () => {
    const { page, post } = await chat({}, { width: 390, height: 844 });
    const card = (n: number) => post(alertCard, { id: `post-${n}` });
    const fromEnd = () =>
      page.locator('#scroll').evaluate((main) => main.scrollHeight - main.scrollTop - main.clientHeight);
    for (let n = 0; n < 5; n += 1) await card(n);
    await page.locator('#message-post-4 .plot svg:has(path)').waitFor();
    await expect.poll(fromEnd).toBeLessThan(2);
    await page.locator('#scroll').hover();
    await page.mouse.wheel(0, -600);
    await expect.poll(fromEnd).toBeGreaterThan(400);
    await card(5);
    const newest = page.getByRole('button', { name: 'New messages' });
    await newest.waitFor();
    expect(await fromEnd()).toBeGreaterThan(400);
    await newest.click();
    await expect.poll(fromEnd).toBeLessThan(2);
    await newest.waitFor({ state: 'hidden' });
  });

  it('fits a phone, even with long words', async () => {
    const feeds = Array.from({ length: 12 }, (_, n) => ({ name: `feed-${n}`, age: 1_000, fresh: true }));
    const { page, post } = await chat(
      { status: async () => ({ ...botStatus, feeds }) },
      { width: 390, height: 844 },
    );
    await post({ ...alertCard, title: 'X'.repeat(200), summary: `https://example.com/${'y'.repeat(200)}` });
    await page.locator('.card .plot svg:has(path)').first().waitFor();
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
  });

  it('is as wide as its window, breaks no word of a table and hides nothing under the views, at any width', async () => {
    const { page, post } = await chat({}, { width: 320, height: 800 });
    const columns = ['Market', 'Side', 'Value', 'Price', 'Funding', 'Time'];
    const row = ['BTCUSDT', 'Short', '$95.1K', '1,065.65', '+0.0100% per 8 h', '14 Nov 2025, 00:13 CET'];
    await post({ ...alertCard, table: { columns, rows: [row, row] } });
    await page.locator('.card .plot svg:has(path)').waitFor();
    // Cells without a space must take one line.
    await page.evaluate(`for (const cell of document.querySelectorAll('td'))
      cell.toggleAttribute('data-word', !cell.textContent.includes(' '))`);
    for (const width of [320, 390, 768, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      for (const id of ['#composer', 'header', '.card']) {
        const box = await page.locator(id).boundingBox();
        expect((box?.x ?? 0) + (box?.width ?? 0), id).toBeLessThanOrEqual(width);
      }
      expect([width, await linesOf(page, 'td[data-word]')]).toEqual([width, Array(8).fill(1)]);
      const line = await page.locator('#composer').boundingBox();
      const bar = await page.locator('header nav').boundingBox();
      const isBelow = (bar?.y ?? 0) > (line?.y ?? 0);
      if (isBelow) expect((line?.y ?? 0) + (line?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
      expect([width, isBelow]).toEqual([width, width < 760]);
    }
  });

  it('keeps short texts on one line and gives long ones a row and lines of their own', async () => {
    const { page, post } = await chat({}, { width: 390, height: 800 });
    const facts = [
      { name: 'Confidence', value: '75%' },
      {
        name: 'Past',
        value: ['Brier 0.450', 'said 45%, was so in 46%', 'said 55%, was so in 54%'].join('\n'),
      },
    ];
    const table = {
      columns: ['Market', 'Moved', 'Age'],
      rows: [['Dollar index', 'x '.repeat(60), '45 min 27 s']],
    };
    await post({ ...alertCard, facts, table });
    await page.locator('.card .plot svg:has(path)').waitFor();
    expect(await linesOf(page, 'td.short')).toEqual([1, 1]);
    expect(await linesOf(page, 'dd')).toEqual([1, 3]);
  });
});
