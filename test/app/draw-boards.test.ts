import { expect, test } from 'vitest';
import type { LivingBoard } from '#src/alert/living-board.ts';
import { createDrawBoard } from '#src/app/draw-boards.ts';
import type { Ports } from '#src/platforms/ports.ts';
import { minute, second } from '#src/runtime/units.ts';
import { readerOf } from '#src/shell/reader.ts';
import { runCommand } from '#src/shell/run.ts';
import { fakeClock } from '#test/support/clock.ts';
import { commandContext, commands } from '#test/support/commands.ts';
import { memoryStore } from '#test/support/memory-store.ts';

const board = (line: string, room = 'main'): LivingBoard => ({
  id: 'b1',
  receiver: { notifier: 'web', address: { room } },
  line,
  form: 'message',
  daily: null,
  createdBy: 'me',
  createdAt: 0,
});

function drawing(given: Partial<Pick<Ports, 'ask'>> = {}) {
  const store = memoryStore();
  const clock = fakeClock(0);
  const asked: string[] = [];
  const draw = createDrawBoard({
    ask: async (request, caller) => {
      asked.push(String(request));
      if (given.ask !== undefined) return given.ask(request, caller);
      const report = (error: unknown) => {
        throw error;
      };
      return runCommand(commands, { request, context: commandContext({ store, caller }), report });
    },
    reader: (caller) => readerOf(caller, store),
    commands,
    platforms: [],
    wall: clock,
  });
  return { draw, asked, store, clock };
}

test.each(['market', 'funding top20', 'regime', 'ticker btc eth', 'brief', 'coin btc'])(
  'a board shows the answer to "%s", with its source and without an age',
  async (line) => {
    const { draw } = drawing();
    const card = await draw(board(line));
    expect(card?.title).not.toBe('');
    expect(card).toMatchObject({ source: 'simulated, 240 ×', lasting: true });
  },
);

test('what cannot be answered now, or may not be asked, is not shown', async () => {
  const { draw } = drawing({ ask: async () => ({ title: 'No data', failure: { code: 'unavailable' } }) });
  expect(await draw(board('market'))).toBeUndefined();
  expect(await drawing().draw(board('subscribe'))).toBeUndefined();
});

test('boards that ask the same in one language share an answer for some seconds; a watchlist is a place’s own', async () => {
  const { draw, asked, clock, store } = drawing();
  for (const room of ['a', 'b', 'c']) await draw(board('ticker btc', room));
  expect(asked).toHaveLength(1);
  await clock.advance(5 * second);
  await draw(board('ticker btc', 'a'));
  expect(asked).toHaveLength(2);
  await store.change({ receiver: board('').receiver, who: 'ada', person: null, at: 0 }, async (places) =>
    places.preferences.set({ notifier: 'web', address: { room: 'b' } }, { language: 'es' }),
  );
  await clock.advance(minute);
  await draw(board('ticker btc', 'a'));
  expect((await draw(board('market', 'b')))?.title).not.toBe((await draw(board('market', 'a')))?.title);
  const before = asked.length;
  for (const room of ['a', 'c']) await draw(board('ticker watchlist', room));
  expect(asked).toHaveLength(before + 2);
});

test.each([
  ['ticker btc eth', 1],
  ['市场', 1],
  ['coin btc', 2],
  ['price btc', 2],
  ['btc', 2],
])('two places that ask "%s" are shown %i answers: none what another has', async (line, answers) => {
  const { draw, asked } = drawing({ ask: async () => ({ title: 'x' }) });
  for (const room of ['a', 'b']) await draw(board(line, room));
  expect(asked).toHaveLength(answers);
});
