import { expect, it } from 'vitest';
import { inBrowser } from '#test/support/browser.ts';
import { alertCard } from '#test/support/console.ts';

inBrowser('tables and charts on the page', ({ start, visit }) => {
  it.each([320, 390, 768, 1440])(
    'at %i pixels the page is as wide, and no word of a table is broken',
    async (width) => {
      const { url, publish } = await start();
      const page = await visit(url, { width, height: 800 });
      const columns = ['Market', 'Side', 'Value', 'Price', 'Funding', 'Time'];
      const row = ['BTCUSDT', 'Short', '$95.1K', '1,065.65', '+0.0100% per 8 h', '14 Nov 2025, 00:13 CET'];
      const card = { ...alertCard, table: { columns, rows: [row, row] } };
      await publish({ id: 'post-1', room: 'main', edited: false, card });
      await page.locator('.card canvas').waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      for (const id of ['#composer', 'header', '.card']) {
        const box = await page.locator(id).boundingBox();
        expect((box?.x ?? 0) + (box?.width ?? 0), id).toBeLessThanOrEqual(width);
      }
      /** Lines that a cell without a space takes. */
      const lines = await page.evaluate(`[...document.querySelectorAll('td')]
      .filter((cell) => !cell.textContent.includes(' '))
      .map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
      })`);
      expect(lines).toEqual(Array(8).fill(1));
    },
  );

  it('what is short stays on one line, what is long has a row and its own lines', async () => {
    const { url, publish } = await start();
    const page = await visit(url, { width: 390, height: 800 });
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
    await publish({ id: 'post-1', room: 'main', edited: false, card: { ...alertCard, facts, table } });
    await page.locator('.card canvas').waitFor();
    const linesOf = (selector: string) =>
      page.evaluate(`[...document.querySelectorAll('${selector}')].map((each) => {
        const range = document.createRange();
        range.selectNodeContents(each);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
      })`);
    expect(await linesOf('td.short')).toEqual([1, 1]);
    expect(await linesOf('dd')).toEqual([1, 3]);
  });
});
