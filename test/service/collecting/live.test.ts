import { afterEach, describe, expect, it } from 'vitest';
import { hour, minute, second } from '#src/runtime/units.ts';
import { loadVenue } from '#src/service/venues/venue.ts';
import { liveCollecting } from '../../support/venues/live.ts';

const noon = Date.UTC(2026, 8, 5, 12);
type Live = Awaited<ReturnType<typeof liveCollecting>>;
let live: Live;
afterEach(() => live.close());

const refusing = [429, 418, 403];
const refusals = ({ asked }: Live) => asked.filter(({ status }) => refusing.includes(status));
const named = async ({ archive }: Live) =>
  (await archive.feeds()).find(({ feed }) => feed === 'ratios')?.problem;

/** Loading their whole past (30 min at most) is `npm run bench -- live`. */
describe('live symbols, limits enforced', () => {
  it('a hundred are ready in 2.5 min without a 429, even with three restarts in the first minutes', async () => {
    live = await liveCollecting({ begin: noon - 2.5 * minute, symbols: 100, publication: 4.5 * minute });
    const first = await live.start();
    let ready = false;
    void first.ready.then(() => {
      ready = true;
    });
    await live.until(() => ready, 2.5 * minute);
    for (const at of [20 * second, 40 * second, 80 * second]) {
      await live.until(() => live.passed() >= at);
      await live.start();
    }
    await live.until(() => live.passed() >= 3 * minute);
    expect(refusals(live)).toEqual([]);
    // 1,000 in 5 minutes are allowed: requests about the past use what the present leaves.
    expect(live.asked.filter(({ path }) => path.startsWith('/futures/data/')).length).toBeGreaterThan(550);
  });

  it('one refused symbol and one odd row affect nothing else', async () => {
    live = await liveCollecting({ begin: noon - 0.75 * minute, symbols: 3, publication: 0 });
    await live.start();
    await live.until(() => live.passed() >= 1.25 * minute);
    const refused =
      live.asked.find(({ status, path }) => status === 400 && path.startsWith('/futures/data/'))?.symbol ??
      '';
    expect(await named(live)).toMatch(new RegExp(`^${refused}: .*Invalid symbol`));
    for (const [series, present] of [
      ['globalRatio', 3],
      ['topRatio', 2],
      ['openInterest', 3],
      ['marks', 2],
    ] as const) {
      const rows = await live.archive.readAll(series, { from: noon, to: noon });
      expect([series, rows.length]).toEqual([series, present]);
    }
  });

  it('a candle is asked for when it has been closed for two seconds, never at the tick itself', async () => {
    live = await liveCollecting({ begin: noon - 12 * minute, symbols: 3, publication: 0 });
    await live.start();
    await live.until(() => live.passed() >= 13 * minute);
    const early = live.asked.filter(
      ({ at, path }) => at >= noon && at < noon + 2 * second && path === '/fapi/v1/klines',
    );
    expect(early).toEqual([]);
    const candles = await live.archive.readAll('candles1h', { from: noon - hour, to: noon - hour });
    expect(candles).toHaveLength(3);
  });
});

it.each(['okx', 'bybit'])('%s: the first start with a few symbols is never refused', async (name) => {
  const venue = await loadVenue(name);
  live = await liveCollecting({ begin: noon - 3 * minute, symbols: 3, publication: 0, venue });
  const { ready } = await live.start();
  let isReady = false;
  void ready.then(() => {
    isReady = true;
  });
  await live.until(() => isReady, 2.5 * minute);
  expect(live.asked.filter(({ path }) => path.startsWith(`/${name}/`)).length).toBeGreaterThan(30);
  expect(refusals(live)).toEqual([]);
});
