import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Chart } from '#src/alert/alert.ts';
import { describeChart } from '#src/chart/plain-chart.ts';
import { sample } from '#src/chart/sample.ts';
import { themes } from '#src/chart/theme.ts';
import { charts } from '#test/chart/charts.ts';
import { inBrowser } from '#test/support/browser.ts';
import { drawSvg } from '#test/support/draw-svg.ts';

interface Drawn {
  readonly texts: string[];
  readonly colours: string[];
  /** The leftmost and rightmost edge of a text, CSS pixels from the left of the drawing, and its width. */
  readonly edges: readonly [left: number, right: number, width: number];
  readonly legend: string[];
}

/** Returns what the newest figure shows: the texts and colours of its drawing and of its legend. */
async function shown(page: Page): Promise<Drawn> {
  const figure = page.locator('figure.chart').last();
  await figure.locator('.plot path').first().waitFor();
  return figure.evaluate((element) => {
    const look = globalThis as unknown as {
      getComputedStyle(of: object): { fill: string; stroke: string };
    };
    const hex = (colour: string) =>
      /^rgb\(/.test(colour)
        ? `#${[...colour.matchAll(/\d+/g)].map(([part]) => Number(part).toString(16).padStart(2, '0')).join('')}`
        : [];
    const texts = [...element.querySelectorAll('.plot text')];
    const svg = element.querySelector('.plot svg')?.getBoundingClientRect();
    const boxes = texts.map((text) => text.getBoundingClientRect());
    const from = svg?.left ?? 0;
    return {
      texts: texts.map(({ textContent }) => textContent ?? ''),
      colours: [
        ...[...element.querySelectorAll(':is(path, circle, rect)')].flatMap((shape) => {
          const { fill, stroke } = look.getComputedStyle(shape);
          return [hex(fill), hex(stroke)].flat();
        }),
      ],
      edges: [
        Math.min(...boxes.map(({ left }) => left - from)),
        Math.max(...boxes.map(({ right }) => right - from)),
        svg?.width ?? 0,
      ],
      legend: [...element.querySelectorAll('.legend li')].map(({ textContent }) => textContent ?? ''),
    } as const;
  });
}

const plain = (text: string) =>
  text
    .replaceAll(/&(lt|gt|amp|quot|#39);/g, (_, name: string) =>
      String({ lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" }[name]),
    )
    .replaceAll(/\s+/g, ' ');
/** Returns the colours of a picture, of all but its texts. */
const inShapes = (svg: string) =>
  [...svg.matchAll(/<(?!text|svg)[^>]*>/g)].flatMap(([tag]) =>
    [...tag.matchAll(/#[0-9a-f]{6}/g)].map(String),
  );
const sorted = (texts: readonly string[]) => [...new Set(texts.map(plain))].sort();

inBrowser('charts on the page', ({ open }) => {
  const chat = (given: Parameters<typeof open>[2]) => open('/chat', {}, { timezoneId: 'UTC', ...given });
  const cardOf = (chart: Chart | undefined) => ({ title: 'A card', chart: chart as Chart<string> });

  // 408 pixels between the margins of a picture, and 72 for the card's edges.
  const asWideAsAPicture = { width: 408 + 72, height: 900 };

  it.each([
    ['en', 'dark', Object.keys(charts).filter((name) => !['hostile', 'huge', 'no points'].includes(name))],
    ['es', 'light', ['funding', 'open interest', 'compare']],
    ['zh', 'dark', ['liquidations']],
  ] as const)(
    'the page and the pictures have the same ticks, colours, labels and marks: %s, %s',
    async (language, theme, names) => {
      const { page, post } = await chat({ locale: language, colorScheme: theme, viewport: asWideAsAPicture });
      const palette = [...themes[theme].series, ...Object.values(themes[theme].tones)];
      const known = (colours: readonly string[]) =>
        [...new Set(colours)].filter((colour) => palette.includes(colour)).sort();
      for (const name of names) {
        const chart = charts[name] as Chart<string>;
        await post(cardOf(chart), { id: name });
        await page.locator(`[id="message-${name}"] .plot path`).first().waitFor();
        const { texts, colours, legend } = await shown(page);
        const svg = drawSvg(chart, { theme, language, timeZone: 'UTC' });
        const written = [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text);
        // The page writes the title, the units and the last time outside the drawing, so they are not compared.
        const around = await page.locator('figcaption span').last().textContent();
        const until = /\d{4}/;
        const inside = written.filter((text) => !around?.includes(text) && !until.test(text));
        const expected = sorted(inside);
        const said = sorted([...texts, ...legend]).filter((text) => !until.test(text));
        expect([name, said]).toEqual([name, expected]);
        expect([name, known(colours)]).toEqual([name, known(inShapes(svg))]);
      }
      expect(page.wrong).toEqual([]);
    },
  );

  it('have a description for screen readers and are read value by value with the arrow keys', async () => {
    const { page, post } = await chat({});
    const chart = charts.price as Chart<string>;
    await post(cardOf(chart));
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

  it('follow the width of their card and take the colours of a new theme', async () => {
    const { page, post } = await chat({ viewport: { width: 900, height: 800 } });
    await post(cardOf(charts.regime));
    expect((await shown(page)).colours).toContain(themes.light.series[0]);
    const before = (await shown(page)).edges;
    await page.setViewportSize({ width: 390, height: 800 });
    await expect.poll(async () => (await shown(page)).edges[1]).toBeLessThan(before[1] - 300);
    const [left, right, width] = (await shown(page)).edges;
    expect(left).toBeGreaterThanOrEqual(0);
    expect(right).toBeLessThanOrEqual(width);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(async () => (await shown(page)).colours).toContain(themes.dark.series[0]);
  });

  it('show candles, lanes and levels, and read a candle out where the pointer is', async () => {
    const { page, post } = await chat({ viewport: { width: 360, height: 1_000 } });
    await post(cardOf(sample));
    const { texts, legend, edges } = await shown(page);
    for (const lane of sample.lanes ?? []) expect(texts.join()).toContain(lane.name);
    expect([...texts, ...legend].join()).toContain('A zone');
    expect(edges[1]).toBeLessThanOrEqual(edges[2]);
    await page.locator('.plot').hover({ position: { x: 1, y: 60 } });
    expect(await page.locator('.readout').textContent()).toMatch(
      /Candles 60,000\.00 to 60,000\.00, between .* and /,
    );
    await expect.poll(() => page.locator('.plot .cursor').count()).toBe(1);
    await page.mouse.move(1, 1);
    await expect.poll(() => page.locator('.plot .cursor').count()).toBe(0);
    expect(page.wrong).toEqual([]);
  });

  it('are read by a finger too, until it touches something else', async () => {
    const { page, post } = await open(
      '/chat',
      {},
      { viewport: { width: 360, height: 1_000 }, hasTouch: true },
    );
    await post(cardOf(sample));
    await shown(page);
    await page.locator('.plot').tap({ position: { x: 1, y: 60 } });
    const readout = page.locator('.readout');
    await expect.poll(() => readout.textContent()).toMatch(/Candles 60,000\.00/);
    await page.locator('.message h3').tap();
    await expect.poll(() => readout.textContent()).toBe('');
  });

  it('write the name of a level in full or shortened, and within the drawing, on the smallest phone', async () => {
    const { page, post } = await chat({ viewport: { width: 320, height: 800 } });
    const { series } = charts.price as Chart;
    const name = 'The level at which it begins, which has a very long name';
    await post(
      cardOf({
        title: 'x',
        unit: 'USDT',
        series,
        marks: [
          { name, value: 61_000 },
          { name: 'Low', value: 59_000 },
        ],
      }),
    );
    const { texts, edges } = await shown(page);
    expect(texts).toContain('Low  59,000.00');
    expect(texts.some((text) => /^The level at .*… {2}61,000.00$/.test(text))).toBe(true);
    expect(edges[1]).toBeLessThanOrEqual(edges[2]);
  });

  it('that are scrolled out of view keep no drawing', async () => {
    const { page, post } = await chat({ viewport: { width: 700, height: 500 } });
    for (let n = 0; n < 8; n += 1) await post(cardOf(charts.price), { id: `post-${n}` });
    await page.locator('#message-post-7 .plot path').first().waitFor();
    await expect.poll(() => page.locator('.chart').count()).toBe(8);
    await expect.poll(() => page.locator('.chart .plot svg:has(path)').count()).toBeLessThanOrEqual(3);
    await page.locator('#message-post-0').scrollIntoViewIfNeeded();
    await page.locator('#message-post-0 .plot path').first().waitFor();
    await page.locator('#message-post-7 .plot path').first().waitFor({ state: 'detached' });
  });
});
