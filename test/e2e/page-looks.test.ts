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
      await page.locator('.card svg').waitFor();
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
    await page.locator('.card svg').waitFor();
    const linesOf = (selector: string) =>
      page.evaluate(`[...document.querySelectorAll('${selector}')].map((each) => {
        const range = document.createRange();
        range.selectNodeContents(each);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
      })`);
    expect(await linesOf('td.short')).toEqual([1, 1]);
    expect(await linesOf('dd')).toEqual([1, 3]);
  });

  it('each of six lines has a colour of its own, in the chart as in its legend', async () => {
    const { url, publish } = await start();
    const page = await visit(url);
    const series = (names: readonly string[]) =>
      names.map((name, n) => ({
        name,
        points: [0, 1, 2].map((at): [number, number] => [at * 60_000, n + at]),
      }));
    const chart = {
      title: 'Bitcoin and other markets',
      unit: '',
      series: series(['a', 'b', 'c']),
      below: { unit: '', series: series(['d', 'e', 'f']) },
    };
    await publish({ id: 'post-1', room: 'main', edited: false, card: { title: 'Macro', chart } });
    await page.locator('.card svg').waitFor();
    const colours = (of: string, property: string) =>
      page.evaluate(
        `[...document.querySelectorAll('${of}')].map((each) => getComputedStyle(each).${property})`,
      );
    const drawn = await colours('path.trace', 'stroke');
    expect(new Set(drawn as string[]).size).toBe(6);
    expect(await colours('.legend .swatch', 'backgroundColor')).toEqual(drawn);
  });

  it('sparse minutes are no ramps, marks are whole, and ticks round over a change of the clock', async () => {
    const { url, publish } = await start();
    const page = await visit(url, { width: 320, height: 800 }, 'Europe/Berlin');
    const hour = 3_600_000;
    const from = Date.parse('2025-10-25T00:00Z');
    const points = [0, 1, 2, 20, 21, 22, 48].map((n): [number, number] => [from + n * hour, n % 3]);
    const marks = [
      { name: 'The level at which it begins, which has a very long name', value: 2 },
      { name: 'Low', value: 0 },
    ];
    const card = {
      title: 'Sparse',
      chart: { title: 'Sparse', unit: '', series: [{ name: 'a', points }], marks },
    };
    await publish({ id: 'post-1', room: 'main', edited: false, card });
    await page.locator('.card svg').waitFor();
    const path = await page.locator('path.trace').getAttribute('d');
    expect(path?.match(/M/g)).toHaveLength(3);
    const outside = await page.evaluate(`(() => {
      const plot = document.querySelector('.plot').getBoundingClientRect();
      return [...document.querySelectorAll('.plot text')]
        .filter((text) => {
          const { left, right, top, bottom } = text.getBoundingClientRect();
          return left < plot.left - 1 || right > plot.right + 1 || top < plot.top - 1 || bottom > plot.bottom + 1;
        })
        .map(({ textContent }) => textContent);
    })()`);
    expect(outside).toEqual([]);
    const ticks = await page.locator('.plot svg > text:not(.mark)').allTextContents();
    expect(ticks.filter((text) => /^\d\d:/.test(text) && !/^(00|12):00$/.test(text))).toEqual([]);
  });
});
