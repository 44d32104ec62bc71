import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { someBoard } from '#test/support/board.ts';
import { inBrowser } from '#test/support/browser.ts';
import { alertCard } from '#test/support/console.ts';
import { startFull } from '#test/support/views.ts';

const board = { read: someBoard, onPatch: () => {} };
const wide = { viewport: { width: 1_440, height: 900 } };
const saved = async (page: Page, name: string) => {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: `CSV: ${name}`, exact: true }).click(),
  ]);
  return { file: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
};

inBrowser('tables that one keeps and shares', ({ start, look, open }) => {
  it('a table is saved as CSV with plain numbers and their units', async () => {
    const { url, close } = await startFull();
    const page = await look(url, wide);
    const { file, text } = await saved(page, 'Markets');
    expect(file).toBe('Markets.csv');
    const [columns = '', ...rows] = text.trim().split('\r\n');
    expect(columns).toContain('Price,1 h (%),24 h (%),Funding (%)');
    expect(rows.find((row) => row.startsWith('BTCUSDT,'))).toContain(',61204.5,');
    expect((await saved(page, 'Liquidations')).text).toContain('Amount (USD)');
    expect((await saved(page, 'Funding')).text).toContain('Funding (%)');
    await page.goto(`${url}/alerts`);
    expect((await saved(page, 'Alerts')).text).toContain('SOL +5.20% in 5 min,');
    await page.goto(`${url}/record`);
    expect((await saved(page, 'Record')).text).toContain('Difference (%)');
    await page.goto(`${url}/health`);
    for (const [name, said] of [
      ['Feeds', 'Candles,42,fresh'],
      ['Detectors', 'Regime change,2026-'],
      ['Checks against the exchange', 'Mark price,'],
      ['Requests to the data service', 'limit,300'],
      ['Outbox', '(s),4'],
      ['Roles', 'watch,held'],
    ] as const)
      expect((await saved(page, name)).text).toContain(said);
    expect(page.wrong).toEqual([]);
    await close();
  });

  it('columns are left out in this browser, and stay so after a reload', async () => {
    const { page } = await open('/', { board }, wide);
    const basis = page.locator('.markets th.basis');
    await basis.waitFor();
    await page.getByText('Columns', { exact: true }).first().click();
    await page.getByRole('checkbox', { name: 'Basis' }).uncheck();
    await basis.waitFor({ state: 'hidden' });
    await page.reload();
    await page.locator('.markets th.price').waitFor();
    expect(await basis.isVisible()).toBe(false);
  });

  it('a star follows a market in this chat, as the command does; the table can show these alone', async () => {
    const followed = ['BTCUSDT'];
    const { page } = await open(
      '/',
      {
        board,
        watchlist: async () => followed,
        async ask(request) {
          const [, action, symbol = ''] = String(request).split(' ');
          if (action === 'add') followed.push(symbol);
          else followed.splice(followed.indexOf(symbol), 1);
          return { title: 'Watchlist' };
        },
      },
      wide,
    );
    const star = page.getByRole('button', { name: 'Watchlist: ETH' });
    await page.locator('.star[aria-pressed=true]').waitFor();
    expect(await star.getAttribute('aria-pressed')).toBe('false');
    await star.click();
    await expect.poll(() => star.getAttribute('aria-pressed')).toBe('true');
    expect(followed).toEqual(['BTCUSDT', 'ETHUSDT']);
    await page.getByRole('checkbox', { name: 'Watchlist' }).check();
    await expect.poll(() => page.locator('.markets tbody tr').count()).toBe(2);
    expect(page.url()).toContain('only=watchlist');
  });

  it('a star that may not be set says why, and nothing is followed', async () => {
    const refusal = {
      title: 'Not here',
      summary: 'Only who manages it may.',
      failure: { code: 'forbidden' },
    } as const;
    const { page } = await open('/', { board, ask: async () => refusal }, wide);
    const star = page.getByRole('button', { name: 'Watchlist: ETH' });
    await star.click();
    await page.getByRole('alert').getByText('Only who manages it may.').waitFor();
    expect(await star.getAttribute('aria-pressed')).toBe('false');
  });

  it('a market has a link to share and the picture that chats get', async () => {
    const { url } = await start({
      board,
      ask: async () => alertCard,
      image: async ({ title }) => ({ png: Buffer.from(`PNG of ${title}`), alt: '' }),
    });
    const page = await look(`${url}/market/ETHUSDT/4h`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save picture' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('ETHUSDT-4h.png');
    expect(await readFile(await download.path(), 'utf8')).toBe(`PNG of ${alertCard.title}`);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Link copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${url}/market/ETHUSDT/4h`);
    const none = await fetch(`${(await start()).url}/api/answers/picture?line=help`);
    expect([none.status, await none.json()]).toEqual([503, { error: expect.any(String) }]);
  });
});
