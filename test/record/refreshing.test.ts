import { describe, expect, it, onTestFinished } from 'vitest';
import { keepRefreshed } from '#src/record/refreshing.ts';
import { day, minute, second } from '#src/runtime/units.ts';
import { fakeClock } from '#test/support/clock.ts';

/** Keeps a record that only says when it was computed, in seconds. */
function fixture() {
  const clock = fakeClock();
  const wall = { ...clock, wrong: 0, now: () => clock.now() + wall.wrong };
  const computed: number[] = [];
  const errors: string[] = [];
  const past = { fails: false };
  const refreshing = keepRefreshed(
    {
      async refresh() {
        computed.push(clock.now() / second);
        if (past.fails) throw new Error('the database is gone');
      },
    },
    wall,
    { error: (_, message) => errors.push(message) },
  );
  onTestFinished(async () => {
    const stopped = refreshing.stop();
    await wall.advance(minute);
    await stopped;
  });
  return { wall, computed, errors, past, priceStored: refreshing.priceStored };
}

describe('the record is computed', () => {
  it('at the start, and every ten minutes though this process stores no price', async () => {
    const { wall, computed } = fixture();
    await wall.advance(25 * minute);
    expect(computed).toEqual([0, 600, 1_200]);
  });

  it('within a minute after a price was stored, and not more often', async () => {
    const { wall, computed, priceStored } = fixture();
    await wall.advance(10 * second);
    priceStored();
    priceStored();
    await wall.advance(3 * minute);
    expect(computed).toEqual([0, 60]);
  });

  it('every ten minutes, also when the wall clock is set back by a day', async () => {
    const { wall, computed } = fixture();
    wall.wrong = day;
    await wall.advance(11 * minute);
    wall.wrong = 0;
    await wall.advance(11 * minute);
    expect(computed).toEqual([0, 60, 660, 720, 1_320]);
  });

  it('again when it failed, and the error is logged', async () => {
    const { wall, computed, errors, past, priceStored } = fixture();
    await wall.advance(10 * second);
    past.fails = true;
    priceStored();
    await wall.advance(minute);
    past.fails = false;
    await wall.advance(3 * minute);
    expect(errors).toEqual(['error while computing the record; continuing']);
    expect(computed).toEqual([0, 60, 121]);
  });
});
