import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Chart } from '#src/alert/alert.ts';
import { describeChart } from '#src/chart/alt.ts';
import { drawSvg } from '#src/chart/draw.ts';
import { themes } from '#src/chart/theme.ts';
import { charts } from '#test/chart/charts.ts';
import { inBrowser } from '#test/support/browser.ts';

/** Script that records on each canvas what is drawn into it: texts, the rightmost edge of a text, and colours. */
const recording = `
  const { prototype } = CanvasRenderingContext2D;
  const of = (context) => (context.canvas.drawn ??= { texts: [], colours: [], right: 0 });
  for (const name of ['fillText', 'fill', 'fillRect', 'stroke']) {
    const draw = prototype[name];
    prototype[name] = function (...given) {
      const { texts, colours } = of(this);
      if (name === 'fillText') {
        texts.push(given[0]);
        const end = { center: 0.5, right: 0, end: 0 }[this.textAlign] ?? 1;
        const right = given[1] + end * this.measureText(given[0]).width;
        of(this).right = Math.max(of(this).right, right / this.canvas.width);
      }
      colours.push(name === 'stroke' ? this.strokeStyle : this.fillStyle);
      return draw.apply(this, given);
    };
  }
`;

interface Drawn {
  readonly texts: string[];
  readonly colours: string[];
  /** The rightmost edge of a text, as a fraction of the canvas width. */
  readonly right: number;
}

/** Returns what the newest figure shows: the drawing on its canvases, and the texts and colours of its legend. */
async function shown(page: Page): Promise<Drawn & { readonly legend: string[] }> {
  const figure = page.locator('figure.chart').last();
  const read = () =>
    figure.evaluate((element) => {
      const drawn = [...element.querySelectorAll('canvas')].flatMap(
        (canvas) => (canvas as unknown as { drawn?: Drawn }).drawn ?? [],
      );
      const look = globalThis as unknown as {
        getComputedStyle(of: object): { backgroundColor: string };
      };
      const hex = (colour: string) =>
        `#${[...colour.matchAll(/\d+/g)].map(([part]) => Number(part).toString(16).padStart(2, '0')).join('')}`;
      const swatches = [...element.querySelectorAll('.swatch')].map((swatch) =>
        hex(look.getComputedStyle(swatch).backgroundColor),
      );
      return {
        texts: drawn.flatMap(({ texts }) => texts),
        colours: [...drawn.flatMap(({ colours }) => colours), ...swatches],
        right: Math.max(0, ...drawn.map(({ right }) => right)),
        legend: [...element.querySelectorAll('.legend li')].map(({ textContent }) => textContent ?? ''),
      };
    });
  await figure.locator('canvas').first().waitFor();
  await expect.poll(async () => (await read()).texts.length).toBeGreaterThan(0);
  return read();
}

const plain = (text: string) =>
  text
    .replaceAll(/&(lt|gt|amp|quot|#39);/g, (_, name: string) =>
      String({ lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" }[name]),
    )
    .replaceAll(/\s+/g, ' ');
const sorted = (texts: readonly string[]) => [...new Set(texts.map(plain))].sort();

inBrowser('charts on the page', ({ start, look }) => {
  const visit = async (url: string, given: Parameters<typeof look>[1] = {}) => {
    const page = await look(`${url}/chat`, { timezoneId: 'UTC', ...given });
    await page.addInitScript(recording);
    await page.reload();
    await page.locator('.connection[data-state=open]').waitFor({ state: 'attached' });
    return page;
  };
  const post = (chart: Chart, id = 'post') => ({ id, room: 'main', edited: false, card: cardOf(chart) });
  const cardOf = (chart: Chart) => ({ title: 'A card', chart: chart as Chart<string> });

  // 440 pixels for the time axis as in a picture, and 72 for the card's edges.
  const asWideAsAPicture = { width: 440 + 72, height: 900 };

  it.each([
    ['en', 'dark', Object.keys(charts).filter((name) => !['hostile', 'huge', 'no points'].includes(name))],
    ['es', 'light', ['funding', 'open interest', 'compare']],
    ['zh', 'dark', ['liquidations']],
  ] as const)(
    'the page and the pictures have the same ticks, colours, labels and marks: %s, %s',
    async (language, theme, names) => {
      const { url, publish } = await start();
      const page = await visit(url, { locale: language, colorScheme: theme, viewport: asWideAsAPicture });
      const palette = [...themes[theme].series, ...Object.values(themes[theme].tones)];
      const known = (colours: readonly string[]) =>
        [...new Set(colours)].filter((colour) => palette.includes(colour)).sort();
      for (const name of names) {
        const chart = charts[name] as Chart<string>;
        await publish(post(chart, name));
        await page.locator(`[id="message-${name}"] canvas`).first().waitFor();
        const { texts, colours, legend } = await shown(page);
        const svg = drawSvg(chart, { theme, language, timeZone: 'UTC' });
        const written = [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text);
        // The page writes the title, the units and the last time outside the canvas, so they are not compared.
        const around = await page.locator('figcaption span').last().textContent();
        const until = /\d{4}/;
        const inside = written.filter((text) => !around?.includes(text) && !until.test(text));
        const expected = sorted(inside);
        const said = sorted([...texts, ...legend]).filter((text) => !until.test(text));
        expect([name, said]).toEqual([name, expected]);
        expect([name, known(colours)]).toEqual([name, known([...svg.matchAll(/#[0-9a-f]{6}/g)].map(String))]);
      }
      expect(page.wrong).toEqual([]);
    },
  );

  it('have a description for screen readers and are read value by value with the arrow keys', async () => {
    const { url, publish } = await start();
    const page = await visit(url);
    const chart = charts.price as Chart<string>;
    await publish(post(chart));
    await shown(page);
    const plot = page.locator('.plot');
    const words = describeChart(chart, { language: 'en', timeZone: 'UTC' });
    const [, told = ''] = words.split(' rose ');
    expect(await plot.getAttribute('aria-label')).toContain(told);
    await plot.focus();
    const readout = page.locator('.readout');
    const value = (index: number) =>
      new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(
        chart.series[0]?.points.at(index)?.[1] ?? 0,
      );
    for (const [key, index] of [
      ['ArrowLeft', -1],
      ['ArrowLeft', -2],
      ['Home', 0],
      ['ArrowRight', 1],
      ['End', -1],
    ] as const) {
      await page.keyboard.press(key);
      expect([key, await readout.textContent()]).toEqual([key, expect.stringContaining(value(index))]);
    }
    await page.keyboard.press('Escape');
    expect(await readout.textContent()).toBe('');
  });

  it('are sharp on a dense screen, follow the width of their card and take the colours of a new theme', async () => {
    const { url, publish } = await start();
    const page = await visit(url, { deviceScaleFactor: 2, viewport: { width: 900, height: 800 } });
    await publish(post(charts.regime as Chart));
    const { colours } = await shown(page);
    expect(colours).toContain(themes.light.series[0]);
    const canvas = page.locator('.plot canvas');
    const widths = () =>
      canvas.evaluate((element) => [
        (element as unknown as { width: number }).width,
        Math.round(element.getBoundingClientRect().width),
        element.closest('.plot')?.clientWidth,
      ]);
    const [pixels = 0, width = 0, room] = await widths();
    expect([pixels, width]).toEqual([2 * width, room]);
    await page.setViewportSize({ width: 390, height: 800 });
    await expect.poll(async () => (await widths())[1]).toBeLessThan(390);
    expect((await widths())[0]).toBe(2 * ((await widths())[2] ?? 0));
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect
      .poll(async () => (await shown(page)).colours.includes(themes.dark.series[0] ?? ''))
      .toBe(true);
  });

  it('write the name of a level in full or shortened, and within the canvas, on the smallest phone', async () => {
    const { url, publish } = await start();
    const page = await visit(url, { viewport: { width: 320, height: 800 } });
    const { series } = charts.price as Chart;
    const name = 'The level at which it begins, which has a very long name';
    await publish(
      post({
        title: 'x',
        unit: 'USDT',
        series,
        marks: [
          { name, value: 61_000 },
          { name: 'Low', value: 59_000 },
        ],
      }),
    );
    const { texts, right } = await shown(page);
    expect(texts).toContain('Low  59,000.00');
    expect(texts.some((text) => /^The level at .*…$/.test(text))).toBe(true);
    expect(right).toBeLessThanOrEqual(1);
  });

  it('that are scrolled out of view keep no canvas', async () => {
    const { url, publish } = await start();
    const page = await visit(url, { viewport: { width: 700, height: 500 } });
    for (let n = 0; n < 8; n += 1) await publish(post(charts.price as Chart, `post-${n}`));
    await page.locator('#message-post-7 canvas').waitFor();
    await expect.poll(() => page.locator('.chart').count()).toBe(8);
    await expect.poll(() => page.locator('.chart canvas').count()).toBeLessThanOrEqual(3);
    await page.locator('#message-post-0').scrollIntoViewIfNeeded();
    await page.locator('#message-post-0 canvas').waitFor();
    await page.locator('#message-post-7 canvas').waitFor({ state: 'detached' });
  });
});
