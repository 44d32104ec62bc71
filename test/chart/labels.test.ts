import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chart, Panel } from '#src/alert/alert.ts';
import { modelOf } from '#src/chart/model.ts';
import { heightOf, paintPanels } from '#src/chart/panels.ts';
import { drawPicture } from '#src/chart/picture.ts';
import { chartReader } from '#src/chart/plain-chart.ts';
import { sample } from '#src/chart/sample.ts';
import type { Shape } from '#src/chart/shape.ts';
import { textWidth } from '#src/chart/text-width.ts';
import { themes } from '#src/chart/theme.ts';
import { minute } from '#src/runtime/units.ts';
import { type Advances, advancesOf } from './advances.ts';

const [regular, bold] = ['Regular', 'SemiBold'].map(advancesOf) as [Advances, Advances];

/** Returns how wide a text is by the advances of its font; ideographs fill a square. */
const measured = (text: string, { size, isBold }: { size: number; isBold: boolean }) =>
  [...text].reduce((sum, letter) => sum + ((isBold ? bold : regular).get(letter) ?? 1) * size, 0);

interface Box {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Returns where the letters of each text are: from the height of a capital to the end of a descender. */
function boxes({ tag, attributes, children }: Shape, [dx, dy] = [0, 0]): Box[] {
  const moved = /translate\((\S+) (\S+)\)/.exec(String(attributes.transform ?? ''));
  const [x, y] = [dx + Number(moved?.[1] ?? 0), dy + Number(moved?.[2] ?? 0)];
  if (tag !== 'text')
    return children.flatMap((each) => (typeof each === 'string' ? [] : boxes(each, [x, y])));
  const text = children.join('');
  const size = Number(attributes['font-size'] ?? 12);
  const width = measured(text, { size, isBold: attributes['font-weight'] === 600 });
  const before = { end: 1, middle: 0.5 }[String(attributes['text-anchor'])] ?? 0;
  const [left, base] = [x + Number(attributes.x) - before * width, y + Number(attributes.y)];
  return [{ text, left, right: left + width, top: base - 0.73 * size, bottom: base + 0.2 * size }];
}

/** Returns the texts that are cut by the edge or that touch another. */
function faults(drawn: readonly Box[], { width, height }: { width: number; height: number }): string[] {
  return drawn.flatMap((a, index) => [
    ...(a.left < -0.5 || a.right > width + 0.5 || a.top < 0 || a.bottom > height ? [`cut: ${a.text}`] : []),
    ...drawn
      .slice(index + 1)
      .filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
      .map((b) => `${a.text} over ${b.text}`),
  ]);
}

const begin = Date.UTC(2025, 9, 24);
const value = fc.oneof(
  fc.double({ min: -2, max: 2, noNaN: true }),
  fc.double({ min: 58_000, max: 64_000, noNaN: true }),
  fc.double({ min: -9e12, max: 9e12, noNaN: true }),
  fc.double(),
);
const name = fc.oneof(
  fc.constantFrom(
    'BTCUSDT',
    'The level at which it begins, and a long name',
    '资金费率',
    'Скорость открытого интереса',
    'Likide edilen short’lar',
    'Ω≈ç√',
    '',
  ),
  fc.string({ unit: 'grapheme-ascii', maxLength: 40 }),
);
const tone = fc.constantFrom('good' as const, 'bad' as const, 'neutral' as const);
const unit = fc.constantFrom('', '%', 'USD', 'USDT', 'contracts', '% in 5 min');
const panel = fc
  .record({
    base: value,
    spread: value,
    step: fc.integer({ min: 1, max: 20_000 }),
    count: fc.integer({ min: 0, max: 60 }),
  })
  .chain(({ base, spread, step, count }): fc.Arbitrary<Panel<string>> => {
    const points = Array.from(
      { length: count },
      (_, n) => [begin + n * step * minute, base + spread * Math.sin(n)] as const,
    );
    const mark = fc.double({ min: -1, max: 1, noNaN: true }).map((part) => base + part * spread);
    return fc.record({
      unit,
      series: fc.array(
        fc.record(
          {
            name,
            points: fc.constant(points),
            shape: fc.constantFrom('line' as const, 'bars' as const),
            tone,
          },
          { requiredKeys: ['name', 'points'] },
        ),
        { minLength: 1, maxLength: 4 },
      ),
      marks: fc.array(fc.record({ name, value: mark, tone }), { maxLength: 12 }),
    });
  });
const chart: fc.Arbitrary<Chart<string>> = fc
  .record({
    title: name,
    source: name,
    first: panel,
    below: fc.option(panel, { nil: undefined }),
    lanes: fc.array(fc.tuple(name, panel), { maxLength: 6 }),
  })
  .map(({ title, source, first, below, lanes }) => ({
    title,
    source,
    ...first,
    ...(below && { below }),
    lanes: lanes.map(([named, lane]) => ({ ...lane, name: named })),
  }));
const reader = fc.record({
  language: fc.constantFrom('en', 'es', 'zh', 'ru', 'tr'),
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata'),
});

describe('no label is cut and none covers another', () => {
  const inPicture = (drawn: Chart<string>, given: { language: string; timeZone: string }) => {
    const picture = drawPicture(drawn, { theme: 'dark', ...given });
    const { width, height } = picture.attributes;
    return faults(boxes(picture), { width: Number(width), height: Number(height) });
  };

  it('in a picture, whatever its values, levels, lanes and language', () => {
    fc.assert(
      fc.property(chart, reader, (drawn, given) => {
        expect(inPicture(drawn, given)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('on the page, however wide it is', () => {
    fc.assert(
      fc.property(chart, reader, fc.integer({ min: 240, max: 1_600 }), (drawn, given, width) => {
        const writer = chartReader(given);
        const model = modelOf(drawn, writer);
        const { shapes } = paintPanels(model, { width, theme: themes.light, reader: writer });
        const drawing = shapes.flatMap((each) => boxes(each));
        expect(faults(drawing, { width, height: heightOf(model) })).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('in the sample, whose levels lie close together', () => {
    expect(inPicture(sample, { language: 'en', timeZone: 'UTC' })).toEqual([]);
  });
});

it('a level whose name has no room is named in the legend', () => {
  const marks = Array.from({ length: 12 }, (_, index) => ({
    name: `Level ${index}`,
    value: 60_000 + index / 10,
  }));
  const series = [{ name: 'BTC', points: [[begin, 58_000] as const, [begin + minute, 62_000] as const] }];
  const picture = drawPicture(
    { title: 'x', unit: 'USDT', series, marks },
    { theme: 'dark', language: 'en', timeZone: 'UTC' },
  );
  const said = boxes(picture).map(({ text }) => text);
  for (const { name } of marks) expect(said.filter((text) => text.startsWith(`${name} `))).toHaveLength(1);
});

it('the widths that labels are placed by are not less than those of the font', () => {
  const latin = [0x20, 0x17f] as const;
  const cyrillic = [0x410, 0x452] as const;
  const letters = [latin, cyrillic].flatMap(([from, to]) =>
    Array.from({ length: to - from }, (_, index) => String.fromCharCode(from + index)),
  );
  for (const letter of letters) {
    const widest = Math.max(bold.get(letter) ?? 0, regular.get(letter) ?? 0);
    expect([letter, textWidth(letter, 1) + 1e-9 >= widest || /\p{Cc}|\p{Cf}/u.test(letter)]).toEqual([
      letter,
      true,
    ]);
  }
});
