import { expect, it } from 'vitest';
import { createPublicPictures } from '#src/app/console/public-pictures.ts';
import type { Card } from '#src/card/card.ts';
import { minute } from '#src/runtime/units.ts';
import { alertCard } from '#test/support/console.ts';

function pictures() {
  let now = 0;
  let canDraw = true;
  const drawn: (string | undefined)[] = [];
  const made = createPublicPictures({
    url: 'https://tocsin.example.org',
    wall: { now: () => now },
    async image({ title, chart }) {
      if (chart === undefined || !canDraw) return undefined;
      drawn.push(title);
      return { png: new TextEncoder().encode(title), alt: '' };
    },
  });
  const published = (card: Parameters<typeof made.publish>[0]): string => {
    const address = made.publish(card) ?? '';
    expect(address).toMatch(/^https:\/\/tocsin\.example\.org\/pictures\/[0-9a-f]{32}\.png$/);
    return address.slice(-36, -4);
  };
  const read = async (name: string) => {
    const png = await made.read(name);
    return png && new TextDecoder().decode(png);
  };
  const advance = (by: number) => {
    now += by;
  };
  const draws = (on: boolean) => {
    canDraw = on;
  };
  return { ...made, drawn, published, read, advance, draws };
}

const titled = (title: string): Card<string> => ({ ...alertCard, title });
const { chart: _, ...plain } = alertCard;

it('is drawn when it is read, and once', async () => {
  const { published, read, drawn } = pictures();
  const name = published(titled('A'));
  expect(drawn).toEqual([]);
  expect([await read(name), await read(name)]).toEqual(['A', 'A']);
  expect(drawn).toEqual(['A']);
});

it('is drawn when it is read again if it could not be drawn before', async () => {
  const { published, read, draws } = pictures();
  const name = published(titled('A'));
  draws(false);
  expect(await read(name)).toBeUndefined();
  draws(true);
  expect(await read(name)).toBe('A');
});

it('is that of the whole answer, whose chart may come later', async () => {
  const { published, read } = pictures();
  expect(await read(published({ ...plain, later: Promise.resolve(titled('whole')) }))).toBe('whole');
  expect(await read(published({ ...titled('first'), later: Promise.resolve(undefined) }))).toBe('first');
});

it('is not there of an answer without a chart, under another name, or later', async () => {
  const { publish, published, read, advance } = pictures();
  expect(publish(plain)).toBeUndefined();
  const name = published(alertCard);
  expect(await read('0'.repeat(32))).toBeUndefined();
  advance(10 * minute);
  expect(await read(name)).toBeUndefined();
});

it('gives way to newer ones when there are 200', async () => {
  const { published, read } = pictures();
  const names = Array.from({ length: 201 }, (_, index) => published(titled(`${index}`)));
  expect(await Promise.all([0, 1, 200].map((index) => read(names[index] ?? '')))).toEqual([
    undefined,
    '1',
    '200',
  ]);
});
