import { expect, it } from 'vitest';
import { openInThread } from '#src/app/files/sheet-thread.ts';
import { openSheet } from '#src/shell/sheet.ts';

it.each([
  ['none', {}],
  ['one', { 'a.yaml': '- at: web:desk\n' }],
  ['several, of which one is broken', { 'a.yaml': '- at: web:desk\n', 'b.yaml': '- at: [', 'c.yaml': '' }],
])('a thread reads files in the same way as this process: %s', async (_, texts: Record<string, string>) => {
  const here = Object.entries(texts).map(([file, text]) => [file, openSheet(file, text)]);
  expect(await Array.fromAsync(openInThread(texts))).toEqual(here);
});
