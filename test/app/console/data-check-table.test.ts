import { expect, it } from 'vitest';
import { createDataCheckTable } from '#src/app/console/data-check-table.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { caller, commandContext } from '#test/support/commands.ts';
import { dataClient } from '#test/support/data.ts';

const read = (over: Parameters<typeof dataClient>[0] = {}) =>
  createDataCheckTable({
    contextOf: async (given) => commandContext({ caller: given, data: dataClient(over) }),
  })({ ...caller, language: 'es' });

it('the audit is in the reader’s language, with every failure counted', async () => {
  const table = await read();
  expect(table?.rows.map(({ name, failures, others }) => [name, failures, others.length])).toEqual([
    ['Precio de marca', 1, 2],
    ['Funding', 2, 0],
    // A value that cannot be checked has neither failed nor passed.
    ['Liquidaciones', undefined, 0],
  ]);
  expect(table?.rows[0]?.said).toMatch(/^Binance USD-M: 99,8\s?% de 432 comprobaciones/);
  // An unreachable venue is not a failure.
  expect(table?.failures).toHaveLength(2);
  expect(table?.failures[1]).toMatch(/^Funding · Binance USD-M · /);
  expect(table?.failures[0]).toMatch(/^Precio de marca · SOL · Binance USD-M · .*2,16/);
});

it('a service without an audit has no table, which is no error', async () => {
  const dataChecks = new ApiError('/data/checks', 'not_offered', 'HTTP 404');
  expect(await read({ dataChecks })).toBeNull();
});
