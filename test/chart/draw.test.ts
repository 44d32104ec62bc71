import { Resvg } from '@resvg/resvg-js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chart } from '#src/alert/alert.ts';
import { drawPng, maxPictureBytes } from '#src/chart/draw.ts';
import { type ThemeName, themes } from '#src/chart/theme.ts';
import { chart as anyChart } from '#test/card/arbitrary.ts';
import { drawSvg } from '#test/support/draw-svg.ts';
import { charts, end, noise } from './charts.ts';

const options = { theme: 'dark', language: 'en', timeZone: 'UTC' } as const;
const source = 'simulated, 240 ×';

/** Returns the texts that a reader sees. */
const written = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
const elements = (svg: string) => new Set([...svg.matchAll(/<([a-zA-Z][\w:-]*)/g)].map(([, name]) => name));
/** All that is needed to draw these charts: no script, no image, no external reference. */
const harmless = ['svg', 'rect', 'path', 'text', 'g', 'circle'];
const strangers = (svg: string) => [...elements(svg)].filter((name) => !harmless.includes(name ?? ''));

describe('a chart is drawn', () => {
  it.each(Object.keys(charts))('%s: as a PNG small enough for a phone', (name) => {
    const png = drawPng(charts[name] as Chart<string>, options);
    expect(Buffer.from(png.subarray(1, 4)).toString('latin1')).toBe('PNG');
    expect(png.byteLength).toBeLessThanOrEqual(maxPictureBytes);
  });

  it.each(['dark', 'light'] as const)('%s: on the theme’s background', (theme: ThemeName) => {
    expect(drawSvg(charts.price as Chart<string>, { ...options, theme })).toContain(themes[theme].ground);
  });

  it('with title, names, last values, source and the time of the last value', () => {
    const text = written(
      drawSvg({ ...(charts.regime as Chart<string>), source }, { ...options, timeZone: 'Asia/Tokyo' }),
    );
    for (const part of [
      'Regime over 7 d',
      'Risk on',
      'Risk off',
      'simulated, 240 ×',
      '21 Nov 2025, 23:05 GMT+9',
    ])
      expect(text).toContain(part);
    expect(text.some((part) => /^BTCUSDT +[\d,.]+$/.test(part ?? ''))).toBe(true);
  });

  it('with a market name in Han characters, in every language', () => {
    const named = (title: string) => drawPng({ title, unit: 'USD', series: [] }, options);
    expect(named('牛来USDT')).not.toEqual(named('龙虾USDT'));
  });

  it('with a unit that both panels share written once', () => {
    const both = (unit: string): Chart<string> => ({
      title: 'Both',
      unit,
      series: [],
      below: { unit, series: [] },
    });
    const units = (unit: string) =>
      written(drawSvg(both(unit), options)).filter((text) => text === unit || text === `${unit} / ${unit}`);
    expect(units('bp')).toEqual(['bp']);
    // The axis writes the unit with each value.
    expect([...units('%'), ...units('USD')]).toEqual([]);
  });

  it('in Chinese with glyphs of its own, so that different words look different', () => {
    const chart = (title: string): Chart<string> => ({ ...(charts.price as Chart<string>), title });
    const drawn = (title: string) =>
      Buffer.from(drawPng(chart(title), { ...options, language: 'zh' })).toString('base64');
    expect(written(drawSvg(chart('资金费率'), { ...options, language: 'zh' })).join()).toContain(
      '2025年11月21日',
    );
    // A font without these glyphs draws the same box for each.
    expect(drawn('资金费率')).not.toBe(drawn('未平仓量'));
  });

  it('with a mark at its own level, however small', () => {
    const height = (value: number) => {
      const points = [[end - 60_000, 0] as const, [end, 0.1] as const];
      const series = [{ name: 'a', points }];
      const svg = drawSvg({ title: 'x', unit: '%', series, marks: [{ name: 'm', value }] }, options);
      return Number(/<path d="M0 ([\d.]+)H[^>]*stroke-dasharray/.exec(svg)?.[1]);
    };
    const [low, middle, high] = [height(0.02), height(0.014), height(0.01)];
    expect((middle - low) / (high - low)).toBeCloseTo(0.6, 1);
  });

  it('with the same time at the same place in both panels, whichever has bars', () => {
    const points = [4, 3, 2, 1, 0].map((age, value) => [end - age * 60_000, value] as const);
    const [line, bars] = [{ name: 'a', points }, { name: 'b', shape: 'bars', points } as const];
    const moments = [{ name: 'Began', at: end - 60_000 }];
    const placesOf = (above: typeof line, below: typeof line) => {
      const panels = { unit: '%', series: [above], below: { unit: '%', series: [below] } };
      const svg = drawSvg({ title: 'x', ...panels, moments }, options);
      return [...svg.matchAll(/<path d="M([\d.]+) [\d.]+V[\d.]+"/g)].map(([, x]) => x);
    };
    for (const places of [placesOf(line, bars), placesOf(bars, line)]) {
      expect(places).toHaveLength(2);
      expect(new Set(places).size).toBe(1);
    }
  });

  it('without clip paths, each of which costs a layer', () => {
    expect(drawSvg(charts.compare as Chart<string>, options)).not.toContain('clip-path=');
  });

  it('with "No data" if there is none', () => {
    expect(written(drawSvg(charts['no points'] as Chart<string>, options))).toContain('No data');
  });

  it('with a note of how many series it had no room for', () => {
    const series = Array.from({ length: 11 }, (_, index) => ({
      name: `S${index}`,
      points: noise(9, 60_000, 1, 5, index),
    }));
    const text = written(drawSvg({ title: 'Many', unit: '%', series, source }, options));
    expect(text).toContain('simulated, 240 ×, 3 more not drawn');
  });

  it('with fewer pixels if it is too noisy, so that it is small enough', () => {
    const series = Array.from({ length: 8 }, (_, seed) => ({
      name: `noise ${seed}`,
      points: noise(600, 60_000, 9, 0, seed),
    }));
    const png = drawPng({ title: 'Noise', unit: '%', series, below: { unit: 'USD', series } }, options);
    expect(png.byteLength).toBeLessThanOrEqual(maxPictureBytes);
  });
});

describe('foreign texts in a chart', () => {
  it('are drawn literally, without mark-up', () => {
    const svg = drawSvg(charts.hostile as Chart<string>, options);
    expect(strangers(svg)).toEqual([]);
    expect(written(svg).join('\n')).toContain('&lt;/text&gt;&lt;script&gt;');
    expect(svg.replaceAll(/<text[^<]*<\/text>/g, '')).not.toMatch(/href|url\((?!#)|@import|javascript/);
  });

  it.each(['__proto__', 'constructor', 'toString'])('may be names like %s', (name) => {
    const band = { from: end - 60_000, to: end, tone: 'bad', name } as const;
    const chart: Chart<string> = {
      title: name,
      unit: name,
      series: [{ name, points: [[end - 60_000, 1] as const, [end, 2] as const] }],
      marks: [{ name, value: 1 }],
      bands: [band],
      moments: [{ name, at: end, tone: 'bad' }],
    };
    expect(drawSvg(chart, options)).toContain(name);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('cannot make the picture malformed or harmful', () => {
    fc.assert(
      fc.property(anyChart, (chart) => {
        const svg = drawSvg(chart, options);
        expect(strangers(svg)).toEqual([]);
        expect(new Resvg(svg, { font: { loadSystemFonts: false } }).width).toBeGreaterThan(0);
      }),
      { numRuns: 40 },
    );
  });

  it('with any times and values can be drawn', () => {
    const at = fc.oneof(fc.integer({ min: end - 1e9, max: end }), fc.double());
    const value = fc.oneof(fc.double(), fc.double({ min: -1e6, max: 1e6 }), fc.constant(0));
    const points = fc.array(fc.tuple(at, value), { maxLength: 50 });
    fc.assert(
      fc.property(points, points, fc.boolean(), (line, bars, below) => {
        const second = { name: 'bars', points: bars, shape: 'bars' as const };
        const chart: Chart<string> = below
          ? {
              title: 't',
              unit: '%',
              series: [{ name: 'line', points: line }],
              below: { unit: 'USD', series: [second] },
            }
          : { title: 't', unit: '%', series: [{ name: 'line', points: line }, second] };
        expect(drawSvg(chart, options)).not.toMatch(/NaN|Infinity|undefined/);
      }),
      { numRuns: 40 },
    );
  });
});
