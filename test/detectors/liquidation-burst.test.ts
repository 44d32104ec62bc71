import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EndpointAnswer } from '#src/contract/index.ts';
import detector from '#src/detectors/liquidation-burst.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, iso, minute, second } from '#src/runtime/units.ts';
import { dataClient } from '#test/support/data.ts';
import { brief, drive, said } from './drive.ts';

const start = Date.UTC(2026, 0, 1);
type Event = EndpointAnswer<'liquidations'>['data'][number];
const event = (time: number, usd: number, symbol = 'BTCUSDT', side = 'LONG'): Event => ({
  symbol,
  side,
  price: '100.0',
  quantity: String(usd / 100),
  usd_value: usd,
  event_time: iso(time),
});
const newestFirst = (events: readonly Event[]) =>
  [...events].sort((a, b) => Date.parse(b.event_time) - Date.parse(a.event_time));

/** Creates a service that responds from a tape: newest first, at most 500 events, after `since`. */
const serviceOf = (tape: readonly Event[]) => async (now: number, since: number | undefined) =>
  newestFirst(
    tape.filter(({ event_time }) => {
      const time = Date.parse(event_time);
      return time <= now && time > (since ?? 0);
    }),
  ).slice(0, 500);

/** Polls a tape every 30 s from `from` to `to`, as the bot does. */
async function poll(
  tape: readonly Event[],
  from: number,
  to: number,
  given = {},
  oi: () => number = () => 1e8,
) {
  const options = detector.options.parse({ minUsd: 250_000, ...given });
  const service = serviceOf(tape);
  const changes: { now: number; text: string; title: string; facts: unknown }[] = [];
  const asked: string[] = [];
  let state: Parameters<typeof detector.step>[0];
  for (let now = from; now <= to; now += 30 * second) {
    const data = {
      ...dataClient(),
      liquidations: async (query?: { since?: string | undefined }) => ({
        data: await service(now, query?.since === undefined ? undefined : Date.parse(query.since)),
      }),
      oi: async ({ symbol = '' }: { symbol?: string | undefined } = {}) => {
        asked.push(symbol);
        const row = { timestamp: iso(now), oi_contracts: '1', oi_value_usd: String(oi()) };
        return { symbol, data: [row] };
      },
    };
    const signal = new AbortController().signal;
    const rows = await detector.observe({ data, options, state, symbols: [], now, signal });
    const stepped = detector.step(state, rows, { options, now });
    state = stepped.state;
    for (const change of stepped.changes) {
      const { status, severity, labels } = change;
      changes.push({ now, text: `${status} ${severity} ${labels.symbol}`, ...said(change) });
    }
  }
  return { changes, state, asked };
}

/** A quiet market: $1,000 a minute in BTC, and in ETH so that time proceeds there too. */
const quiet = (from: number, to: number): Event[] =>
  Array.from({ length: Math.floor((to - from) / minute) }, (_, index) => [
    event(from + index * minute, 1_000),
    event(from + index * minute + 500, 1_000, 'ETHUSDT', 'SHORT'),
  ]).flat();
const burst = (at: number, usd: number, count = 20): Event[] =>
  Array.from({ length: count }, (_, index) => event(at + index * second + 1, usd / count + index / 100));

describe('liquidation burst', () => {
  const end = start + 3 * hour;

  test('a quiet market raises no alert', async () => {
    expect((await poll(quiet(start, end), start + hour, end)).changes).toEqual([]);
  });

  test('a burst fires once, and ends when the window has passed', async () => {
    const at = start + 2 * hour;
    const { changes } = await poll([...quiet(start, end), ...burst(at, 400_000)], start + hour, end);
    expect(changes.map(({ text }) => text)).toEqual(['firing warning BTCUSDT', 'resolved warning BTCUSDT']);
    expect(changes[0]?.now).toBeLessThanOrEqual(at + minute);
    expect(changes[0]?.title).toMatch(/^BTC liquidation burst: at least \$\d+K in 15 min$/);
    expect((changes[1]?.now ?? 0) - at).toBeGreaterThanOrEqual(14 * minute);
  });

  test('it escalates at three times its level, and resolves as critical', async () => {
    const at = start + 2 * hour;
    const tape = [...quiet(start, end), ...burst(at, 300_000), ...burst(at + 3 * minute, 900_000)];
    const { changes } = await poll(tape, start + hour, end);
    expect(changes.map(({ text }) => text)).toEqual([
      'firing warning BTCUSDT',
      'updated critical BTCUSDT',
      'resolved critical BTCUSDT',
    ]);
  });

  const at = start + 2 * hour;
  const oneBurst = [...quiet(start, end), ...burst(at, 400_000)];

  test('an amount that is small beside the market’s open interest is no burst', async () => {
    const { changes, asked } = await poll(oneBurst, start + hour, end, {}, () => 1e10);
    expect(changes).toEqual([]);
    expect(asked).toEqual(['BTCUSDT']);
  });

  test('the alert shows the share of open interest', async () => {
    const { changes } = await poll(oneBurst, start + hour, end, { minShare: 0.001 });
    expect(changes[0]?.facts).toContainEqual({ name: 'Share of open interest', value: '0.42%' });
  });

  test('without open interest a burst is judged all the same, and no second request is made', async () => {
    const none = () => {
      throw new ApiError('/oi', 'not_offered', 'no');
    };
    const { changes, asked } = await poll(oneBurst, start + hour, end, {}, none);
    expect(changes.map(({ text }) => text)).toEqual(['firing warning BTCUSDT', 'resolved warning BTCUSDT']);
    expect(asked).toEqual(['BTCUSDT']);
  });

  test('a sum that oscillates about the level fires once', async () => {
    const waves = Array.from({ length: 12 }, (_, index) =>
      burst(at + index * 4 * minute, index % 2 === 0 ? 80_000 : 65_000),
    );
    const { changes } = await poll([...quiet(start, end), ...waves.flat()], start + hour, end);
    expect(changes.filter(({ text }) => text.startsWith('firing'))).toHaveLength(1);
  });

  test('is not judged by the past of windows of another length', () => {
    let state: Parameters<typeof detector.step>[0];
    const run = (from: number, to: number, window: string) => {
      const options = detector.options.parse({ window, factor: 3, minUsd: 250_000, minShare: 0 });
      const changes = [];
      for (let now = from; now < to; now += minute) {
        const rows = [event(now - second, 20_000 + (now - start) / minute)];
        const stepped = detector.step(state, { rows, coverage: [], openInterest: {} }, { options, now });
        state = stepped.state;
        changes.push(...stepped.changes);
      }
      return changes;
    };
    expect(run(start, start + 3 * hour, '15m')).toEqual([]);
    expect(run(start + 3 * hour, start + 6 * hour, '1h')).toEqual([]);
  });

  test('what has begun before the baseline raises no alert', async () => {
    const at = start + hour;
    const { changes } = await poll([...quiet(start, end), ...burst(at, 400_000)], at + minute, end);
    expect(changes).toEqual([]);
  });

  test('a market is compared with its own past, not with other markets', async () => {
    const busy = quiet(start, end).map((each) => ({ ...each, usd_value: 20_000 }));
    const { changes } = await poll([...busy, ...burst(start + 2 * hour, 600_000)], start + hour, end);
    expect(changes).toEqual([]);
  });

  test('nothing ends while the feed is silent', async () => {
    const at = start + 2 * hour;
    const tape = [...quiet(start, at), ...burst(at, 400_000)];
    const { changes } = await poll(tape, start + hour, end + 3 * hour);
    expect(changes.map(({ text }) => text)).toEqual(['firing warning BTCUSDT']);
  });

  test('events from the future do not stop the clock', async () => {
    const tape = [...quiet(start, end), ...burst(start + 2 * hour, 400_000)];
    const garbage = { ...event(start + 90 * minute, 1), event_time: iso(start + 1_000 * hour) };
    const options = detector.options.parse({});
    const rows = [garbage, ...tape.slice(0, 100)];
    const first = detector.step(
      undefined,
      { rows, coverage: [], openInterest: {} },
      { options, now: start + hour },
    );
    expect(first.state.memory?.read.last).toBeLessThan(start + 2 * hour);
  });

  test('500 rows that do not reach back to the last check are a gap, which the alert mentions', async () => {
    const at = start + 2 * hour + 2_000;
    const flood = Array.from({ length: 900 }, (_, index) => event(at + index * 20, 500 + index / 2));
    const { changes } = await poll([...quiet(start, end), ...flood], start + hour, end);
    expect(changes[0]?.text).toBe('firing warning BTCUSDT');
    expect(JSON.stringify(changes[0]?.facts)).toContain('more than 500 events between two checks');
  });

  test('asks again for the minute before the last event, in which late ones may have come', async () => {
    const now = start + minute;
    const asked: unknown[] = [];
    const data = {
      ...dataClient(),
      liquidations: async (query: unknown) => {
        asked.push(query);
        return { data: [event(start, 1)] };
      },
    };
    const options = detector.options.parse({});
    const given = { data, options, symbols: [], now, signal: new AbortController().signal };
    const { state } = detector.step(undefined, await detector.observe({ ...given, state: undefined }), {
      options,
      now,
    });
    await detector.observe({ ...given, state });
    expect(asked).toEqual([{ limit: 500 }, { limit: 500, since: iso(start - minute) }]);
  });

  test('events that come twice, late or in the same millisecond are counted once', async () => {
    const events = fc.array(
      fc.record({
        ms: fc.integer({ min: 0, max: 20 * 60 }).map((each) => each * second),
        late: fc.integer({ min: 0, max: 20 * second }),
        usd: fc.integer({ min: 1, max: 5 }),
        symbol: fc.constantFrom('BTCUSDT', 'ETHUSDT'),
      }),
      { maxLength: 200 },
    );
    await fc.assert(
      fc.asyncProperty(events, async (drawn) => {
        const options = detector.options.parse({ window: '60m' });
        let state: Parameters<typeof detector.step>[0];
        for (let now = start; now <= start + 21 * minute; now += 30 * second) {
          const since = (state?.memory?.read.last ?? minute) - minute;
          const known = drawn
            .filter(({ ms, late }) => start + ms + late <= now && start + ms > since)
            .map(({ ms, usd, symbol }) => event(start + ms, usd, symbol));
          const rows = newestFirst(known).slice(0, 500);
          state = detector.step(state, { rows, coverage: [], openInterest: {} }, { options, now }).state;
        }
        const identities = new Set(drawn.map(({ ms, usd, symbol }) => `${ms} ${usd} ${symbol}`));
        const expected = [...identities].reduce((sum, each) => sum + Number(each.split(' ')[1]), 0);
        const counted = Object.values(state?.memory?.rolling.names ?? {})
          .flatMap(({ buckets }) => buckets)
          .reduce((sum, { long, short }) => sum + long + short, 0);
        expect(counted).toBe(expected);
      }),
      { numRuns: 50 },
    );
  });

  test('the share of longs covers the same time as the sum: the window, and at the end the whole burst', async () => {
    // Shorts just before the window, and again while the burst of longs lasts.
    const tape = [
      ...quiet(start, start + 6 * hour),
      event(start + 3 * hour - 18 * minute, 100_000, 'BTCUSDT', 'SHORT'),
      ...[3, 2, 1].map((ago) => event(start + 3 * hour - ago * minute, 2e6)),
      event(start + 3 * hour + 10 * minute, 2e6, 'BTCUSDT', 'SHORT'),
    ];
    const { changes } = await poll(tape, start, start + 4 * hour);
    const shares = changes.map(({ text, facts }) => {
      const share = (facts as { name: string; value: string }[]).find(
        ({ name }) => name === 'Share of longs',
      );
      return `${text.split(' ')[0]} ${share?.value}`;
    });
    expect(shares.find((share) => share.startsWith('firing'))).toBe('firing 100%');
    expect(shares.find((share) => share.startsWith('resolved'))).toBe('resolved 75%');
  });

  test('the state stays bounded, whatever comes', async () => {
    const storm = Array.from({ length: 6_000 }, (_, index) =>
      event(start + index * 200, 1_000 + index, `C${index % 100}USDT`),
    );
    const { state } = await poll(storm, start, start + 20 * minute);
    expect(state?.memory?.read.recent.length).toBeLessThanOrEqual(600);
    expect(JSON.stringify(state).length).toBeLessThan(120_000);
  });

  test('the first step is silent, even over a long answer with a burst', () => {
    const tape = newestFirst([...quiet(start, start + 2 * hour), ...burst(start + hour, 1e7)]).slice(0, 500);
    const now = start + 2 * hour;
    expect(brief(drive(detector, {}, [[now, { rows: tape, openInterest: {} }]]).changes)).toEqual('.');
  });
});
