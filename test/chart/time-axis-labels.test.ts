import { expect, it } from 'vitest';
import { ticksOf } from '#src/chart/model.ts';
import { chartReader } from '#src/chart/reading.ts';
import { labelWidth } from '#src/chart/time-axis.ts';
import { plainReader } from '#src/language/say.ts';
import { day, hour } from '#src/runtime/units.ts';

it.each(['en', 'es', 'zh'])('no label of time is cut at the left edge: %s', (language) => {
  const reader = chartReader({ ...plainReader, language });
  for (let shift = 0; shift < 48; shift += 1)
    for (const width of [280, 360, 700, 1_400]) {
      const from = Date.UTC(2025, 10, 10) + shift * hour;
      const to = from + 14 * day;
      for (const { at, label } of ticksOf({ range: { from, to, last: to } }, { width, reader }))
        expect(((at - from) / (to - from)) * width).toBeGreaterThanOrEqual(labelWidth(label) / 2);
    }
});
