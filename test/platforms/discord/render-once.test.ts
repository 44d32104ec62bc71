import { expect, it } from 'vitest';
import { markOf } from '#src/platforms/discord/mark.ts';
import { renderDiscord } from '#src/platforms/discord/render.ts';
import { createRendering } from '#src/platforms/discord/render-once.ts';
import { noCommandIds } from '#src/platforms/discord/text.ts';
import { second } from '#src/runtime/units.ts';

const dataTime = Date.UTC(2026, 0, 2);
const card = {
  title: 'Funding',
  summary: '/help',
  typed: new Set(['/help']),
  dataTime,
  table: { columns: ['Alert'], rows: Array.from({ length: 400 }, (_, n) => [`${n} ${'x'.repeat(30)}`]) },
};
const posts = ['one', 'two'].map((id) => markOf({ id, version: id }));
const ids = new Map([['help', '100000000000000004']]);
const looks = [
  { now: dataTime, ids: noCommandIds },
  { now: dataTime, ids },
  { now: dataTime + 59 * second, ids },
  { now: dataTime + 59 * second, ids, image: 'chart.png' },
  { now: dataTime + 60 * second, ids },
];

it('posts of one card show what each would show by itself, whichever came before', () => {
  const render = createRendering();
  for (const look of looks)
    for (const mark of posts) {
      const pages = render(card, { ...look, mark });
      expect(pages.length).toBeGreaterThan(1);
      expect(pages).toEqual(renderDiscord(card, { ...look, mark }));
    }
});
