import { expect, it } from 'vitest';
import { ConfigError } from '#src/runtime/errors.ts';
import { startLoop } from '#src/runtime/loop.ts';
import { second } from '#src/runtime/units.ts';
import { fakeClock } from '#test/support/clock.ts';

const away = (text: string) => Object.assign(new Error(text), { code: 'ECONNREFUSED' });

it.each([
  [
    'what may pass is told once until it has passed',
    [away('1'), away('2'), null, away('3')],
    '1 back 3 back',
  ],
  [
    'a defect is told, and another one',
    [new TypeError('1'), new TypeError('1'), new TypeError('2')],
    '1 2 back',
  ],
  ['an error of the settings is told at once', [away('1'), new ConfigError(['2']), away('3')], '1 2 3 back'],
])('%s', async (_, turns, told) => {
  const clock = fakeClock(0);
  const lines: string[] = [];
  const loop = startLoop(
    async () => {
      const failure = turns.shift();
      if (failure instanceof Error) throw failure;
      return second;
    },
    {
      wall: clock,
      onError: (error) => lines.push((error as Error).message),
      onRecovery: () => lines.push('back'),
    },
  );
  await clock.advance(10 * second);
  await loop.stop();
  expect(lines.join(' ')).toBe(told);
});
