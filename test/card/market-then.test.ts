import { expect, test } from 'vitest';
import type { Alert } from '#src/alert/alert.ts';
import { linksOf } from '#src/card/card.ts';
import { changeText, marketsOf } from '#src/card/market-then.ts';
import { plainReader, say } from '#src/language/say.ts';

test.each([
  [0.049, 'unchanged in 1 h'],
  [-0.049, 'unchanged in 1 h'],
  [0.05, 'up 0.1% in 1 h'],
  [-0.05, 'down 0.1% in 1 h'],
])('a change of %f % is none if it rounds to nothing', (pct, said) => {
  expect(say(changeText(pct, '1 h') ?? '', plainReader)).toBe(said);
});

test('a post about several markets says the prices of the first three', () => {
  const alerts = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT'].map((symbol) => ({
    labels: { kind: 'drop', symbol },
    annotations: { market: { price: 10 } },
  })) as unknown as Alert[];
  expect(marketsOf(alerts).prices.map(({ name }) => name)).toEqual(['BTC', 'ETH', 'SOL']);
});

test('an address longer than a button takes is no link', () => {
  const urlOf = (length: number) => 'https://a.example/'.padEnd(length, 'a');
  const links = [512, 513].map((length) => ({ label: 'page', url: urlOf(length) }));
  expect(linksOf({ title: '', links })).toEqual([links[0]]);
});
