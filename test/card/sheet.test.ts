import { expect, it } from 'vitest';
import { renderJson, renderPage } from '#src/card/render-json.ts';
import { sayCard } from '#src/card/say-card.ts';
import { price, rate, time, usd } from '#src/language/format.ts';
import { plainReader } from '#src/language/say.ts';
import { msg } from '#src/language/text.ts';

it('a table as a spreadsheet takes it has its numbers unformatted, and their units in the columns’ names', () => {
  const card = sayCard(
    {
      title: 'Markets',
      table: {
        columns: [msg('Market'), msg('Price'), msg('Funding'), msg('Interest'), msg('Time'), 'Mixed'],
        rows: [
          ['BTC', price(61_204.512_3), rate(0.000_112_345), usd(1_234_567.8), time(0), usd(1_000)],
          ['ETH', price(undefined), rate(-0.07), usd(2), time(undefined), rate(0.5)],
        ],
      },
    },
    plainReader,
  );
  expect(renderPage(card).sheet).toEqual({
    columns: ['Market', 'Price', 'Funding (%)', 'Interest (USD)', 'Time', 'Mixed'],
    rows: [
      ['BTC', 61_204.512_3, 0.011_234_5, 1_234_567.8, '1970-01-01T00:00:00.000Z', '$1K'],
      ['ETH', '', -7, 2, '', '+50.0000%'],
    ],
  });
  // Programs get the table as it was written, once.
  expect(renderJson(card)).not.toHaveProperty('sheet');
});
