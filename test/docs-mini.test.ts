import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../docs/mini.ts';
import { ownFolder } from './support/folder.ts';

const said = { 0: 'subscribe', 12: 'silence ETHUSDT 8', 47: 'why' };

/** Returns what is posted; each attempt of which `fails` is true does not arrive. */
function posts(
  given: { readonly fails?: (attempt: number) => boolean; readonly path?: string } = {},
): string[] {
  const { fails = () => false, path = ':memory:' } = given;
  const lines: string[] = [];
  let attempts = 0;
  run({
    said,
    path,
    write(line) {
      // What a command answers is not tried again.
      if (/Warning|CRITICAL|Ended/.test(line) && fails(attempts++)) throw new Error('unavailable');
      lines.push(line);
    },
  });
  return lines;
}
const alerts = (lines: readonly string[]) => lines.filter((line) => /Warning|CRITICAL|Ended/.test(line));

describe('docs/mini.ts', () => {
  it('has at most 300 lines', () => {
    const text = readFileSync(join(import.meta.dirname, '../docs/mini.ts'), 'utf8');
    expect(text.split('\n').length).toBeLessThanOrEqual(301);
  });

  it('tells each episode once from its beginning to its end, and why it told nothing', () => {
    const lines = posts();
    expect(lines.slice(0, 3)).toEqual([
      '[main] Subscribed',
      '[main] Warning: BTC funding 2.9 σ: longs pay',
      '[main] CRITICAL: BTC funding 3.3 σ: longs pay',
    ]);
    // What stood before the bot began is not told.
    expect(lines.indexOf('[main] Warning: ETH funding -2.5 σ: shorts pay')).toBeGreaterThan(0);
    expect(lines.slice(lines.indexOf('[main] What became of alerts')).slice(1, 4)).toEqual([
      expect.stringMatching(/× already said$/),
      expect.stringMatching(/× sent$/),
      expect.stringMatching(/× silenced$/),
    ]);
  });

  it('loses and doubles nothing, and keeps the order, while every other attempt fails', () => {
    expect(alerts(posts({ fails: (attempt) => attempt % 2 === 0 }))).toEqual(alerts(posts()));
  });

  it('goes on where it was after a restart', async () => {
    const path = join(await ownFolder(), 'mini.db');
    const before = alerts(posts({ path }));
    expect(before.length).toBeGreaterThan(10);
    // The same two days again: all of their rows are known.
    expect(alerts(posts({ path }))).toEqual([]);
  });
});
