import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { createLog } from '#src/runtime/log.ts';

it.each([true, false])('lines for people have colours only if they are wanted (%s)', (color) => {
  let written = '';
  const destination = new Writable({
    write(chunk, _, done) {
      written += chunk;
      done();
    },
  });
  createLog({ level: 'info', pretty: true, color, destination }).info({ feed: 'book' }, 'a feed is back');
  expect(written).toContain('a feed is back');
  expect(written.includes('\u001B[')).toBe(color);
});
