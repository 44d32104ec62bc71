import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { describeFatalError } from '#src/app/cli/fatal-error.ts';

it('a disk that fills up while the bot starts is named, without a stack, and another start may help', () => {
  const database = new DatabaseSync(':memory:');
  let full: unknown;
  try {
    database.exec('pragma max_page_count = 2; create table a (b); create table c (d)');
  } catch (error) {
    full = error;
  }
  expect(describeFatalError(full, 'usage')).toEqual({
    text: 'The disk of a database is full: make space, and start again.\n',
    code: 75,
  });
  expect(describeFatalError(new TypeError('a defect'), 'usage')).toMatchObject({
    text: expect.stringContaining('TypeError: a defect\n    at '),
    code: 70,
  });
});
