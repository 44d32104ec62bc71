import { expect, it } from 'vitest';
import { fontSize, ticksOf } from '#src/chart/model.ts';
import { chartReader } from '#src/chart/plain-chart.ts';
import { textWidth } from '#src/chart/text-width.ts';
import { plainReader } from '#src/language/say.ts';
import { day, hour } from '#src/runtime/units.ts';

it.each(['en', 'es', 'zh'])('no label of time is cut at an edge or touches the next: %s', (language) => {
  const reader = chartReader({ ...plainReader, language });
  for (let shift = 0; shift < 48; shift += 5)
    for (const width of [280, 360, 700, 1_400])
      for (const days of [0.02, 0.3, 1, 14, 90, 700]) {
        const from = Date.UTC(2025, 10, 10) + shift * hour;
        const to = from + days * day;
        const ticks = ticksOf({ range: { from, to, last: to } }, { width, right: 30, reader });
        const places = ticks.map(({ at, label }) => {
          const [middle, half] = [((at - from) / (to - from)) * width, textWidth(label, fontSize) / 2];
          return [middle - half, middle + half];
        });
        expect(ticks.length).toBeGreaterThan(0);
        expect(places[0]?.[0]).toBeGreaterThanOrEqual(0);
        expect(places.at(-1)?.[1]).toBeLessThanOrEqual(width + 30);
        for (const [index, [left]] of places.slice(1).entries())
          expect(left).toBeGreaterThan(places[index]?.[1] ?? 0);
      }
});
