import { expect, it } from 'vitest';
import { Secret } from '#src/runtime/secret.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import { alertRow, someBoard } from '#test/support/board.ts';
import { inBrowser } from '#test/support/browser.ts';
import { alertCard, botStatus, marketNow, noAlerts, type startConsole } from '#test/support/console.ts';

type Given = Parameters<typeof startConsole>[0];

inBrowser('the page says what is so', ({ start, look, open }) => {
  const board = { read: someBoard, onPatch: () => {} };

  it.each([
    ['rate_limited', 'Data service pauses for 4 min: too many requests'],
    ['not_ready', 'Data service pauses for 4 min: it is not ready'],
    ['budget_spent', 'Request budget used up: next request in 4 min'],
  ] as const)('a pause has its reason and what is left of it: %s', async (reason, text) => {
    const away = { since: marketNow - minute, pause: { reason, left: 4 * minute } };
    const { page } = await open('/', { board, status: async () => ({ ...botStatus, away }) });
    await page.locator('.feeds').getByText(text).waitFor();
    await page.getByRole('alert').getByText(text).waitFor();
    expect(await page.getByText('not answering').count()).toBe(0);
  });

  it('a time of another day has its date, and one of today has none', async () => {
    const seen = { price: { at: marketNow - day, every: 2 * day }, funding: { at: marketNow, every: day } };
    const { page } = await open('/', { board: { ...board, read: () => ({ ...someBoard(), seen }) } });
    await page.locator('.as-of').getByText('as of 13 Mar, 18:30').waitFor();
    await page.locator('.as-of').getByText('as of 18:30', { exact: true }).waitFor();
  });

  it('a folded row names what it is about, where that is no market', async () => {
    const rows = ['Volatility', 'Regime', 'Funding'].map((groupRow, n) => {
      const { symbol: _, ...row } = alertRow(`a${n}`, { kind: 'data-blind', groupName: 'No data', groupRow });
      return row;
    });
    const { page } = await open('/', { feed: { ...noAlerts, page: async () => rows } });
    const row = page.getByRole('button', { name: 'No data ×3' }).first();
    expect(await row.textContent()).toMatch(/Funding, Regime, Volatility/);
  });

  it('the first visit says what this is, that the market is simulated and how far loading is; once', async () => {
    const { page } = await open('/', { board, status: async () => ({ ...botStatus, loaded: 0.43 }) });
    const said = page.getByRole('complementary');
    await said.getByText('Tocsin watches crypto derivatives').waitFor();
    expect(await said.textContent()).toMatch(/simulated and runs 240 ×.*still loading: 43%/);
    await page.locator('.feeds').getByText('loading history: 43%').waitFor();
    await page.getByRole('button', { name: 'Got it' }).click();
    await said.waitFor({ state: 'detached' });
    await page.reload();
    await page.locator('.markets').waitFor();
    expect(await said.count()).toBe(0);
  });

  it('short names explain themselves where the keyboard is, and to a screen reader', async () => {
    const { page } = await open('/', { board }, { viewport: { width: 1_900, height: 900 } });
    for (const [column, hint] of [
      ['next', 'Time until the next settlement'],
      ['longShare', 'Longs among top traders’ positions'],
      ['fundingZ', 'Funding against the market’s own last 30 days, in standard deviations'],
    ] as const) {
      const button = page.locator(`th.${column} button`);
      await page.keyboard.press('Tab');
      await button.focus();
      const query = `document.querySelector('th.${column} button'), '::after'`;
      expect(await page.evaluate(`getComputedStyle(${query}).content`)).toBe(`"${hint}"`);
      expect(await button.getAttribute('title')).toBe(hint);
    }
  });

  it('digits choose views one after the other, and in the chat’s field they are text', async () => {
    const { page } = await open('/', { board });
    await page.locator('.markets').waitFor();
    await page.keyboard.press('3');
    await page.locator('#line').waitFor();
    await page.keyboard.press('6');
    await page.locator('.health').waitFor();
    await page.getByRole('link', { name: 'Chat' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('line');
    await page.keyboard.type('btc 124000');
    expect(await page.inputValue('#line')).toBe('btc 124000');
    await page.locator('#line').fill('');
    await page.keyboard.press('Escape');
    await page.keyboard.press('1');
    await page.locator('.markets').waitFor();
  });

  it('the map of funding has its colours where the system chooses colours, and names for a screen reader', async () => {
    const { page } = await open('/', { board }, { forcedColors: 'active' });
    const cell = page.locator('.heat td[data-payer]').first();
    await cell.waitFor();
    const colours = await page.evaluate(
      `[...document.querySelectorAll('.heat td[data-payer]')].map((each) => getComputedStyle(each).backgroundColor)`,
    );
    expect(new Set(colours as string[]).size).toBeGreaterThan(4);
    expect(await cell.getAttribute('aria-label')).toMatch(/^\d+ Mar, \d\d:\d\d [+−]\d/);
    await page.getByRole('table', { name: /Funding by market/ }).waitFor();
  });

  it('a card has one zone: its texts, its footer and its chart', async () => {
    const given: Given = { reader: async ({ language = 'en' }) => ({ language, timeZone: 'UTC' }) };
    const { url, post } = await start(given);
    const reader = { language: 'en', timeZone: 'UTC' } as const;
    await post({ ...alertCard, reader });
    const page = await look(`${url}/chat`);
    await page.locator('.card footer time').getByText('14 Mar, 09:30').waitFor();
    expect(await page.locator('.card .plot').getAttribute('aria-label')).toContain('to 14 Mar, 09:30');
    expect(await page.locator('.message').textContent()).not.toContain('18:30');
  });

  it('funding is drawn as steps', async () => {
    const series = async () => ({
      ...{ unit: '%' as const, source: '', shape: 'steps' as const },
      window: { from: marketNow - day, to: marketNow },
      points: [0, 8, 16].map((n) => [marketNow - day + n * hour, n % 16] as const),
    });
    const { page } = await open('/rules', { series });
    const path = (await page.locator('.level-chart .past').first().getAttribute('d')) ?? '';
    // Each value goes on to the next settlement, and the last until now.
    expect(path.match(/H/g)).toHaveLength(3);
    expect(path).not.toMatch(/L[\d.]+ [\d.]+L/);
  });

  it('the login asks for the access token in words', async () => {
    const { page } = await open('/', { token: new Secret('a token of sixteen letters') });
    await page.getByLabel('Your access token').waitFor();
  });
});
