import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Change, fingerprint, severities, severityRank } from '#src/alert/alert.ts';
import { presets } from '#src/alert/presets.ts';
import type { DataClient } from '#src/contract/data-client.ts';
import { plainReader, say } from '#src/language/say.ts';
import { ApiError, type ApiErrorReason } from '#src/runtime/errors.ts';
import { schedulePattern } from '#src/runtime/schedule.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { dataClient } from '#test/support/data.ts';
import { detectors } from '#test/support/detectors.ts';
import { seeded } from '#test/support/random.ts';
import { anyService, scaledService } from './any-answer.ts';
import { said } from './drive.ts';
import { struckMarket } from './struck-market.ts';

const signal = new AbortController().signal;
/**
 * Checks that changes about markets have a prominence, by which their rows are ranked. Two markets or fewer need no ranking.
 */
function expectRanked(changes: readonly Change[]): void {
  const ofMarkets = changes.filter(({ labels }) => labels.symbol !== undefined);
  if (new Set(ofMarkets.map(({ labels }) => labels.symbol)).size <= 2) return;
  for (const { annotations } of ofMarkets) expect(annotations.prominence).toBeGreaterThanOrEqual(0);
}

/** The matcher costs many times what the comparison costs, so it is asked only about a difference, which it describes. */
function expectEqual(found: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected);
}

/** Seeds of struck markets: first those for which, together, all detectors raised an alert when they were chosen. */
const seeds = new Set([68, 63, 50, 23, 61, ...Array.from({ length: 200 }, (_, index) => index)]);

/** When the struck markets are struck. */
const struck = { from: Date.UTC(2026, 0, 29), to: Date.UTC(2026, 1, 1) };
const looks = [
  ...Array.from({ length: 72 }, (_, look) => struck.from - (72 - look) * hour),
  ...Array.from({ length: 12 }, (_, look) => struck.from + look * 10 * minute),
  ...Array.from({ length: 40 }, (_, look) => struck.from + 2 * hour + look * 2 * hour),
];
const struckMarkets = new Map<number, ReturnType<typeof struckMarket>>();

/** Returns the market that a seed stands for. It is drawn once: all detectors look at the same one. */
function marketOf(seed: number): ReturnType<typeof struckMarket> {
  const known = struckMarkets.get(seed);
  if (known !== undefined) return known;
  const [draw] = fc.sample(fc.gen(), { seed, numRuns: 1 }) as [fc.GeneratorValue];
  const market = struckMarket(draw, struck);
  struckMarkets.set(seed, market);
  return market;
}

/** Matches a text that names a market or speaks of the whole market. */
const market = /\b(BTC|ETH|SOL)\b|bitcoin|market/i;

test('there are detectors', () => expect(detectors.length).toBeGreaterThanOrEqual(5));

/** Detectors of what has no size: each change counts. */
const unsized = ['listing', 'regime-transition'];

test.each(detectors)('$name says the smallest event worth an alert, as its options set it', (detector) => {
  const larger = (value: unknown): unknown =>
    typeof value === 'number'
      ? 2 * value
      : typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, larger(each)]))
        : value;
  const says = (options: unknown) => say(detector.smallest?.(options) ?? '', plainReader);
  const options = detector.options.parse({});
  expect(says(options)).toMatch(/./);
  expect(says(larger(options)) === says(options)).toBe(unsized.includes(detector.name));
});

/** Returns the service as it is once it no longer has a market. */
const without = (gone: string, data: DataClient): DataClient =>
  new Proxy(data, {
    get: (_, name: keyof DataClient) => async (query: { readonly symbol?: string } | undefined) => {
      if (query?.symbol === gone) throw new ApiError('/any', 'invalid_request', 'Invalid symbol');
      const answer = await (data[name] as (query: unknown) => Promise<object>)(query);
      const rest = (value: unknown) =>
        Array.isArray(value) ? value.filter((row: { symbol?: string }) => row.symbol !== gone) : value;
      return Object.fromEntries(Object.entries(answer).map(([field, value]) => [field, rest(value)]));
    },
  });

/** Returns the service as one that gives all rows in any order, and some of them several times. */
const mixing = (data: DataClient, random: () => number): DataClient =>
  new Proxy(data, {
    get: (_, name: keyof DataClient) => async (query: unknown) => {
      const answer = await (data[name] as (query: unknown) => Promise<object>)(query);
      const mixed = (value: unknown): unknown => {
        if (!Array.isArray(value) || typeof value[0] !== 'object') return value;
        const repeated = value.flatMap((row) => (random() < 0.2 ? [row, { ...row }] : [row]));
        return repeated
          .map((row) => ({ row, order: random() }))
          .sort((a, b) => a.order - b.order)
          .map(({ row }) => row);
      };
      return Object.fromEntries(Object.entries(answer).map(([field, value]) => [field, mixed(value)]));
    },
  });

interface Step {
  readonly before: unknown;
  readonly state: unknown;
  readonly changes: readonly Change[];
  readonly observation: unknown;
  readonly now: number;
  readonly first: boolean;
}

/** Runs a detector over random answers, drawn once for all tests because drawing takes most of the time. */
function anyWalks(
  take: (step: {
    readonly data: DataClient;
    readonly before: unknown;
    readonly now: number;
  }) => Promise<Pick<Step, 'state' | 'changes' | 'observation'>>,
): () => Promise<readonly (readonly Step[])[]> {
  let drawn: Promise<Step[][]> | undefined;
  const waits = fc.array(fc.constantFrom(minute, 5 * minute, 5 * minute, 4 * hour), {
    minLength: 2,
    maxLength: 12,
  });
  const drawAll = async () => {
    const walks: Step[][] = [];
    const walk = fc.asyncProperty(fc.gen(), waits, async (draw, waits) => {
      const steps: Step[] = [];
      let before: unknown;
      let now = start;
      for (const wait of waits) {
        now += wait;
        const stepped = await take({ data: anyService(draw, now), before, now });
        steps.push({ ...stepped, before, now, first: steps.length === 0 });
        before = stepped.state;
      }
      walks.push(steps);
    });
    // No shrinking, which would take minutes here; the seed reproduces the failure.
    await fc.assert(walk, { numRuns: 60, endOnFailure: true });
    return walks;
  };
  return () => {
    drawn ??= drawAll();
    return drawn;
  };
}

describe.each(detectors.map((detector) => [detector.name, detector] as const))('%s', (name, detector) => {
  const options = detector.options.parse({});
  const observe = (data: DataClient, state: unknown, now: number) =>
    detector.observe({ data, options, state, symbols: ['BTCUSDT'], now, signal });

  let foundSeed: Promise<number> | undefined;
  /** Returns the first seed with which the detector raises an alert. It is searched once: that takes most of the time. */
  const tellingSeed = () => {
    foundSeed ??= (async () => {
      for (const seed of seeds) if ((await raisedWith(seed)) > 0) return seed;
      throw new Error('nothing was told: the rules of this suite hold of silence alone');
    })();
    return foundSeed;
  };

  const walks = anyWalks(async (step) => {
    const { data, before, now } = step;
    const observation = await observe(data, before, now);
    return { observation, ...detector.step(before, observation, { options, now }) };
  });
  /** Runs over random answers; `see` gets every step. */
  const overAnything = async (see: (step: Step) => void, begin: () => void = () => {}) => {
    for (const walk of await walks()) {
      begin();
      for (const step of walk) see(step);
    }
  };

  test('describes itself: a sentence, a preset, a schedule, a default for every option', () => {
    expect(presets.map((preset) => preset.name)).toContain(detector.preset);
    expect(say(detector.description, plainReader)).toMatch(/^[A-Z].{20,}[^.]$/);
    expect(schedulePattern.safeParse(detector.schedule).success).toBe(true);
    expect(detector.schedule.split(' ')).toHaveLength(6);
    expect(options).toBeTypeOf('object');
  });

  test('is silent at its first observation, and its state survives JSON', async () => {
    await overAnything(({ state, changes, first }) => {
      if (first) expect(changes).toEqual([]);
      expectEqual(detector.state.parse(JSON.parse(JSON.stringify(state))), state);
    });
  });

  test('fires once per episode, then updates or resolves it, with complete texts', async () => {
    const open = new Set<string>();
    const all: Change[] = [];
    await overAnything(
      ({ changes, now }) => {
        all.push(...changes);
        for (const { status, labels, severity, annotations } of changes) {
          const print = fingerprint(labels);
          expect(open.has(print), `${status} of ${JSON.stringify(labels)}`).toBe(status !== 'firing');
          if (status === 'resolved') open.delete(print);
          else open.add(print);
          expect(labels.kind).toBe(name);
          expect(severityRank(severity)).toBe(severities.indexOf(severity));
          expect(annotations.dataTime).toBeLessThanOrEqual(now + 2 * hour);
          expect(JSON.stringify(annotations)).not.toMatch(/NaN|undefined|Infinity|null/);
          if (annotations.chart !== undefined) {
            const title = say(annotations.chart.title, plainReader);
            expect(title, 'names its window').toMatch(/, last \d+ (d|h|min)/);
            expect(title, 'names its market').toMatch(market);
          }
          expect(JSON.stringify(said({ status, labels, severity, annotations }))).not.toContain('[object');
        }
      },
      () => open.clear(),
    );
    expectRanked(all);
  });

  /** Returns how many alerts are raised about the market of this seed. None is raised twice in an episode. */
  const raisedWith = async (seed: number) => {
    const market = marketOf(seed);
    const open = new Set<string>();
    const all: Change[] = [];
    let state: unknown;
    for (const now of looks) {
      const observation = await observe(market(now), state, now);
      const stepped = detector.step(state, observation, { options, now });
      state = detector.state.parse(JSON.parse(JSON.stringify(stepped.state)));
      all.push(...stepped.changes);
      for (const { status, labels } of stepped.changes) {
        const print = fingerprint(labels);
        expect(open.has(print), `${status} of ${JSON.stringify(labels)}, seed ${seed}`).toBe(
          status !== 'firing',
        );
        if (status === 'resolved') open.delete(print);
        else open.add(print);
      }
    }
    expectRanked(all);
    return all.filter(({ status }) => status === 'firing').length;
  };

  test('raises an alert for at least one randomly struck market, and none twice in an episode', async () => {
    expect(await tellingSeed()).toBeGreaterThanOrEqual(0);
  });

  test('says that it can fire when it does, and says the same when a look brings nothing new', async () => {
    let fired = 0;
    const once = async (seed: number) => {
      const market = marketOf(seed);
      let state: unknown;
      for (const now of looks) {
        const observation = await observe(market(now), state, now);
        const stepped = detector.step(state, observation, { options, now });
        const begun = stepped.changes.filter(({ status }) => status === 'firing').length;
        if (begun > 0) expect(stepped.able, `seed ${seed} at ${now}`).not.toBe(false);
        fired += begun;
        state = stepped.state;
        const next = await observe(market(now), state, now);
        const again = detector.step(state, next, { options, now });
        expect(again.able, `seed ${seed} at ${now}`).toBe(stepped.able);
      }
    };
    await once(await tellingSeed());
    expect(fired).toBeGreaterThan(0);
  });

  test('can fire again although its stored state says times of a clock that was a century ahead', async () => {
    const isTime = (value: unknown) => typeof value === 'number' && Math.abs(value - start) < 400 * day;
    const century = (_: string, value: unknown) => (isTime(value) ? (value as number) + 36_525 * day : value);
    const once = async (seed: number) => {
      const market = marketOf(seed);
      let state: unknown;
      let fired = 0;
      for (const now of looks) {
        if (now === struck.from - 2 * day)
          state = detector.state.parse(JSON.parse(JSON.stringify(state), century));
        const stepped = detector.step(state, await observe(market(now), state, now), { options, now });
        state = detector.state.parse(JSON.parse(JSON.stringify(stepped.state)));
        if (now >= struck.from) fired += stepped.changes.filter(({ status }) => status === 'firing').length;
      }
      return fired;
    };
    expect(await once(await tellingSeed()), 'it cannot fire again').toBeGreaterThan(0);
  });

  test('tells the same of rows in any order, and of rows that are repeated', async () => {
    const tellsAt = (changes: readonly Change[]) =>
      changes
        .map(({ status, labels, severity }) => `${status} ${severity} ${fingerprint(labels)}`)
        .toSorted();
    const told = new Set<string>();
    const once = async (seed: number) => {
      const market = marketOf(seed);
      const random = seeded(seed);
      let [state, other]: unknown[] = [];
      for (const now of looks) {
        const stepped = detector.step(state, await observe(market(now), state, now), { options, now });
        const mixed = await observe(mixing(market(now), random), other, now);
        const same = detector.step(other, mixed, { options, now });
        expect(tellsAt(same.changes), `seed ${seed} at ${now}`).toEqual(tellsAt(stepped.changes));
        for (const line of tellsAt(stepped.changes)) told.add(line);
        [state, other] = [stepped.state, same.state];
      }
    };
    await once(await tellingSeed());
    expect(told.size).toBeGreaterThan(0);
  });

  test('ends the alerts about a market that the service no longer has', async () => {
    const fired: Change[] = [];
    const once = async (seed: number) => {
      const market = marketOf(seed);
      const open = new Set<string>();
      let gone: string | undefined;
      let state: unknown;
      for (const now of [...looks, ...Array.from({ length: 40 }, (_, look) => struck.to + look * 3 * hour)]) {
        const data = gone === undefined ? market(now) : without(gone, market(now));
        const stepped = detector.step(state, await observe(data, state, now), { options, now });
        state = stepped.state;
        fired.push(...stepped.changes.filter(({ status }) => status === 'firing'));
        gone ??= fired.find(({ labels }) => labels.symbol !== undefined)?.labels.symbol;
        for (const { status, labels } of stepped.changes)
          if (status === 'resolved') open.delete(fingerprint(labels));
          else if (labels.symbol === gone && gone !== undefined) open.add(fingerprint(labels));
      }
      expect([...open], `seed ${seed}`).toEqual([]);
    };
    await once(await tellingSeed());
  });

  test('changes nothing when the same observation is repeated', async () => {
    await overAnything(({ state, observation, now }) => {
      const { able: _, ...again } = detector.step(state, observation, { options, now });
      expectEqual(again, { state, changes: [] });
    });
  });

  test('raises one episode per alert for a market that turns into another one and then hovers', async () => {
    const by = fc.constantFrom(0.001, 0.003);
    await fc.assert(
      fc.asyncProperty(fc.gen(), by, async (draw, by) => {
        const [before, after] = [scaledService(draw), scaledService(draw)];
        const fired = new Map<string, number>();
        let state: unknown;
        for (let look = 0; look < 24; look++) {
          const now = start + look * 10 * minute;
          const data = look < 3 ? before(now, 1) : after(now, look % 2 === 0 ? 1 : 1 - by);
          const observed = { data, options, state, symbols: ['BTCUSDT'], now, signal };
          const observation = await detector.observe(observed);
          const stepped = detector.step(state, observation, { options, now });
          state = stepped.state;
          for (const { status, labels } of stepped.changes) {
            const print = JSON.stringify(labels);
            if (status === 'firing') fired.set(print, (fired.get(print) ?? 0) + 1);
          }
        }
        for (const [labels, times] of fired) expect(times, labels).toBe(1);
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });

  test('treats data older than what it has seen as unknown, and changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (draw) => {
        let state: unknown;
        for (const [look, age] of [0, 0, 3 * day, 3 * day, 3 * day].entries()) {
          const now = start + look * 5 * minute;
          const data = anyService(draw, now - age);
          const observation = await observe(data, state, now);
          const stepped = detector.step(state, observation, { options, now });
          state = stepped.state;
          if (age > 0) expect(stepped.changes).toEqual([]);
        }
      }),
      { numRuns: 30, endOnFailure: true },
    );
  });

  test('has a pure step: equal inputs give equal outputs, and the inputs are not modified', async () => {
    await overAnything(({ before, state, changes, observation, now }) => {
      const copy = structuredClone({ before, observation });
      const { able: _, ...again } = detector.step(before, observation, { options, now });
      expectEqual(again, { state, changes });
      expectEqual({ before, observation }, copy);
    });
  });

  test.each<ApiErrorReason>(['unreachable', 'rate_limited', 'not_offered', 'malformed', 'server_error'])(
    'throws for a service that only responds "%s", and reports no change',
    async (reason) => {
      const data = new Proxy(dataClient(), {
        get: () => () => Promise.reject(new ApiError('/any', reason, 'no')),
      });
      await expect(observe(data, undefined, start)).rejects.toBeInstanceOf(ApiError);
    },
  );
});
