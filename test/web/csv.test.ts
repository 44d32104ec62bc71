import { expect, it } from 'vitest';
import { csvOf } from '#src/web/csv.ts';

const rowOf = (...cells: (string | number | undefined)[]) =>
  csvOf({ columns: ['a'], rows: [cells] }).replace('\uFEFFa\r\n', '');

it.each([
  [['plain', 1.5, -2, undefined, Number.NaN], 'plain,1.5,-2,,\r\n'],
  [['a,b', 'a"b', 'a\nb', ' a', 'a;b'], '"a,b","a""b","a\nb"," a","a;b"\r\n'],
  [['=1+1', '+1', '-1', '@x'], "'=1+1,'+1,'-1,'@x\r\n"],
  [['\t=1', '  =1', '＝1', '\r=1'], '"\'\t=1",\'  =1,\'＝1,"\'\r=1"\r\n'],
  [['=HYPERLINK("http://x","y")'], '"\'=HYPERLINK(""http://x"",""y"")"\r\n'],
] as const)('a row of a CSV file is quoted and is no formula: %j', (cells, text) => {
  expect(rowOf(...cells)).toBe(text);
});

it('a CSV file says that it is UTF-8', () => {
  expect(csvOf({ columns: ['Precio', '价格'], rows: [] })).toBe('\uFEFFPrecio,价格\r\n');
});
