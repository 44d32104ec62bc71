import { expect, it } from 'vitest';
import { plainReader, say } from '#src/language/say.ts';
import { createBoard } from '#src/places/boards.ts';
import { editingOf } from '#src/shell/editing.ts';
import { commandContext } from '#test/support/commands.ts';
import { memoryStore } from '#test/support/memory-store.ts';

it('a channel has one topic and one name: another question takes its place there', async () => {
  const store = memoryStore();
  const pin = async (line: string, form: 'topic' | 'name' | 'message') => {
    const { title } = await createBoard({ line, form, daily: null }, editingOf(commandContext({ store })));
    return say(title, plainReader);
  };
  for (const form of ['topic', 'name', 'message'] as const)
    for (const line of ['market', 'ticker btc']) expect(await pin(line, form)).toBe('Pinned');
  expect(await pin('ticker btc', 'topic')).toBe('Already pinned');
  expect(store.kept.boards.map(({ form, line }) => `${form}: ${line}`)).toEqual([
    'topic: ticker btc',
    'name: ticker btc',
    'message: market',
    'message: ticker btc',
  ]);
});
