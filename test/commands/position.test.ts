import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exportOf, readPlace } from '#src/places/export-import.ts';
import { positionRule } from '#src/places/positions.ts';
import { memberRights, viewerRights } from '#src/shell/rights.ts';
import { openStore } from '#src/store/open.ts';
import type { Store } from '#src/store/ports.ts';
import { addresses } from '#test/support/addresses.ts';
import { ask as asking, caller } from '#test/support/commands.ts';

let store: Store;
beforeEach(async () => {
  store = await openStore('file::memory:', { addresses });
});
afterEach(() => store.close());
const ask = (line: string, over: object = {}) => asking(line, { store, ...over });
const kept = () => store.rules.of(caller.receiver);
const factOf = (card: Awaited<ReturnType<typeof ask>>, name: string) =>
  card.facts?.find((fact) => fact.name === name)?.value;

test.each([
  [
    'position btc long 60000 10x',
    'price.last < 56010',
    '54,300',
    { side: 'long', entry: 60_000, leverage: 10 },
  ],
  [
    'position btc short 60k x20 0.5',
    'price.last > 61890',
    '62,700',
    { side: 'short', entry: 60_000, leverage: 20, size: 0.5 },
  ],
  [
    'pos open eth long entry=2,000 leverage=5',
    'price.last < 1727',
    '1,610',
    { side: 'long', entry: 2_000, leverage: 5 },
  ],
])('%s is an own alert that fires near its liquidation', async (line, condition, liquidation, position) => {
  const card = await ask(line);
  expect(card.title).toBe('Position noted');
  expect(factOf(card, 'Liquidation (estimate)')).toContain(liquidation);
  expect(factOf(card, 'Distance')).toBeDefined();
  expect(await kept()).toMatchObject([{ condition, position, severity: 'critical' }]);
});

test.each([
  'position btc long 60000',
  'position btc 60000 10x',
  'position btc long 0 10x',
  'position btc long -5 10x',
  'position btc long 60000 500x',
  'position btc long 60000 0x',
  'position open',
])('%s is refused', async (line) => {
  await ask(line);
  expect(await kept()).toEqual([]);
});

describe('positions', () => {
  test('are listed, changed and ended, and other alerts stay', async () => {
    await ask('alert create price.last above=1000000 btc');
    await ask('position btc long 60000 10x');
    const id = (await kept()).find(({ position }) => position !== undefined)?.id ?? '';
    expect((await ask('position')).table?.rows).toHaveLength(1);
    expect((await ask(`position edit id=${id} leverage=20x`)).title).toBe('Position changed');
    expect((await kept()).find((rule) => rule.id === id)).toMatchObject({
      condition: 'price.last < 58110',
      position: { side: 'long', entry: 60_000, leverage: 20 },
    });
    expect((await ask('position end all')).title).toBe('Position forgotten');
    expect(await kept()).toMatchObject([{ condition: 'price.last > 1000000' }]);
    expect((await ask('position')).summary).toContain('None yet');
  });

  test('are exported and imported as they are', async () => {
    await ask('position btc short 60000 10x 2');
    const written = JSON.stringify(exportOf(await readPlace(caller.receiver, store)));
    const [before] = await kept();
    await ask('position end all');
    await ask(`import ${written} confirm=yes`);
    expect(await kept()).toMatchObject([{ position: before?.position, condition: before?.condition }]);
  });

  test('are for those who manage the chat, and their answer for the asker alone', async () => {
    for (const rights of [memberRights, viewerRights]) {
      const over = { caller: { ...caller, rights } };
      await ask('position btc long 60000 10x', over);
      expect((await ask('position', over)).table).toBeUndefined();
    }
    expect(await kept()).toEqual([]);
  });

  test('that nothing can liquidate are refused', () => {
    const author = { receiver: caller.receiver, who: 'ada', person: null, at: 0 };
    const given = { symbol: 'BTCUSDT', side: 'long', entry: 1, leverage: 0.9 } as const;
    expect(() => positionRule(given, author)).toThrow(/not liquidated/);
  });
});
