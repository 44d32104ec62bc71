import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { Alert } from '#src/alert/alert.ts';
import type { DataClient } from '#src/contract/data-client.ts';
import { type Detector, defineDetector } from '#src/detectors/detector.ts';
import { createPreviews, type Previews, type PreviewsOptions } from '#src/preview/create-previews.ts';
import { longestWait, type Preview, previewPeriod } from '#src/preview/preview.ts';
import { createSlices } from '#src/preview/slices.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { day, hour, minute, second } from '#src/runtime/units.ts';
import { fakeClock } from '../support/clock.ts';
import { priced, rule } from '../support/rules.ts';
import { revision, start } from './revision.ts';

/** An hour after the last of the days that are replayed. */
const now = start + 60 * day + hour;
const end = start + 60 * day;

/** Fires while the regime's score is positive: for two hours, six times a day. */
const example = (name: string): Detector =>
  defineDetector({
    name,
    description: 'An example',
    preset: 'everything',
    schedule: '0 */10 * * * *',
    options: z.object({}),
    state: z.object({ on: z.boolean() }),
    observe: ({ data, signal }) => data.regime({}, signal),
    step(state, { score }, { now }) {
      const on = score > 0;
      const annotations = { title: `score ${score}`, summary: '', facts: [], dataTime: now };
      const status = on ? 'firing' : 'resolved';
      const change = { status, severity: 'warning', labels: { kind: name }, annotations } as const;
      return { state: { on }, changes: state !== undefined && state.on !== on ? [change] : [] };
    },
  }) as Detector;

const wish = { kinds: ['*'], symbols: ['*'], minSeverity: 'info' } as const;
const scoreAt = (at: number) => (Math.floor((at - start) / (2 * hour)) % 2 === 0 ? 1 : -1);
const clientAt = (at: number): DataClient => ({
  ...priced({ BTCUSDT: 100 }, at),
  regime: async () => ({ regime: 'MARKUP', confidence: 1, score: scoreAt(at) }),
});

interface World {
  readonly detectors: readonly { readonly detector: Detector; readonly options?: object }[];
  readonly settings: Map<string, string>;
  readonly at: (now: number) => DataClient;
  readonly opens: (signal: AbortSignal) => Promise<void>;
  readonly whole: () => boolean;
  readonly marketTime: () => number;
  readonly hosted: Partial<Pick<PreviewsOptions, 'kept' | 'seen'>>;
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

function begin(over: Partial<World> = {}) {
  const { settings = new Map(), at = clientAt, whole = () => true, hosted } = over;
  const { detectors = [{ detector: example('example') }], opens = async () => {} } = over;
  const wall = fakeClock(now);
  const closing = new AbortController();
  /** The moments that were asked about, and how many pasts are open. */
  const asked: number[] = [];
  let open = 0;
  const previews = createPreviews({
    archive: hosted
      ? undefined
      : {
          whole,
          async open() {
            await opens(closing.signal);
            open += 1;
            return {
              symbols: ['BTCUSDT'],
              at(moment) {
                asked.push(moment);
                return at(moment);
              },
              async close() {
                open -= 1;
              },
            };
          },
        },
    detectors: detectors.map(({ detector, options = {} }) => ({ detector, options })),
    identity: 'a market',
    settings: {
      get: async (name) => settings.get(name),
      put: async (name, text) => void settings.set(name, text),
    },
    inhibitRules: [],
    slices: createSlices(wall, closing.signal, () => 0),
    kinds: detectors.map(({ detector: { name, preset } }) => ({ name, preset, groupWait: 0 })),
    kept: async () => [],
    seen: async () => undefined,
    ...hosted,
    universe: () => ['BTCUSDT'],
    now: over.marketTime ?? wall.now,
    wall,
    log: pino({ level: 'silent' }),
  });
  const close = async () => {
    closing.abort(new Error('closed'));
    await previews.close();
  };
  onTestFinished(close);
  const atOnce = async (what: Parameters<Previews['preview']>[0]) => {
    const preview = previews.preview(what);
    await wall.advance(500);
    return preview;
  };
  const complete = async (what: Parameters<Previews['preview']>[0]) => {
    const preview = await atOnce(what);
    return preview.state === 'pending' ? preview.complete : preview;
  };
  return { wall, asked, settings, atOnce, complete, close, opened: () => open };
}

const beginnings = (preview: Preview) =>
  preview.state === 'known' ? preview.alerts.map(({ at }) => at) : preview.state;
/** When the score turns positive within the days that a preview covers. */
const expected = Array.from({ length: 180 }, (_, index) => end - previewPeriod + index * 4 * hour);

describe('the past of the standard alerts', () => {
  test('covers the last thirty whole days, day by day, as one replay would', async () => {
    const { complete, asked, opened } = begin();
    const preview = await complete(wish);
    expect(preview).toMatchObject({ state: 'known', from: end - previewPeriod, to: end - 1 });
    expect(beginnings(preview)).toEqual(expected);
    expect([asked[0], opened()]).toEqual([end - previewPeriod - day, 0]);
    expect(asked).toEqual(asked.toSorted((a, b) => a - b));
  });

  test('goes on with a day once it is over and its last rows have arrived', async () => {
    const { complete, asked, wall, atOnce } = begin();
    await complete(wish);
    const before = asked.length;
    await wall.advance(23 * hour + 10 * minute);
    expect(asked.length).toBe(before);
    await wall.advance(7 * minute);
    const next = () => beginnings(preview);
    let preview = await atOnce(wish);
    for (let turns = 0; turns < 100 && preview.state === 'known' && preview.to < end; turns++)
      preview = await atOnce(wish);
    expect(asked[before]).toBe(end);
    expect(next()).toEqual(expected.map((at) => at + day));
  });

  test('resumes after a crash with the day in which it was', async () => {
    const settings = new Map<string, string>();
    const crash = end - 12 * day + 5 * hour;
    const first = begin({
      settings,
      at: (moment) => {
        if (moment >= crash) throw new Error('it broke');
        return clientAt(moment);
      },
    });
    expect((await first.complete(wish)).state).toBe('impossible');
    await first.close();
    const second = begin({ settings });
    expect(beginnings(await second.complete(wish))).toEqual(expected);
    expect(second.asked[0]).toBe(end - 12 * day);
  });

  test('is known at once after a restart, before the data service has loaded its past', async () => {
    const { complete, settings } = begin();
    await complete(wish);
    // Nor does anyone know the market time yet.
    const again = begin({ settings, whole: () => false, marketTime: () => 0 });
    expect(beginnings(await again.atOnce(wish))).toEqual(expected);
    expect(again.asked).toEqual([]);
  });

  test('is replayed anew of a detector alone whose options have changed, or whose past cannot be read', async () => {
    const looks: string[] = [];
    const detectors = ['a', 'b', 'c'].map((name) => {
      const detector = example(name);
      const observe: Detector['observe'] = (context) => {
        looks.push(name);
        return detector.observe(context);
      };
      return { detector: { ...detector, observe } };
    });
    const { complete, settings } = begin({ detectors });
    await complete(wish);
    expect(new Set(looks)).toEqual(new Set(['a', 'b', 'c']));
    looks.length = 0;
    settings.set('past of c', '{');
    const changed = detectors.map((each, index) => ({ ...each, options: index === 1 ? { other: 1 } : {} }));
    const preview = await begin({ detectors: changed, settings }).complete(wish);
    expect([new Set(looks), beginnings(preview)]).toEqual([
      new Set(['b', 'c']),
      expected.flatMap((at) => [at, at, at]),
    ]);
  });

  test('says how many days have been replayed while somebody waits', async () => {
    let opens = 0;
    const { atOnce, complete } = begin({
      opens: async (signal) => {
        if (++opens === 3) await untilAborted(signal);
      },
    });
    void complete(wish);
    let preview = await atOnce(wish);
    while (preview.state === 'pending' && (preview.days ?? 0) < 9) preview = await atOnce(wish);
    expect(preview).toMatchObject({ state: 'pending', days: 9 });
  });

  test('is not replayed before it is loaded, because a part would show too few alerts', async () => {
    let whole = false;
    const { atOnce, asked, wall, complete } = begin({ whole: () => whole });
    expect([(await atOnce(wish)).state, asked.length]).toEqual(['pending', 0]);
    whole = true;
    await wall.advance(minute);
    expect((await complete(wish)).state).toBe('known');
  });

  test('that cannot be replayed is reported to those who wait, and tried again', async () => {
    let broken = true;
    const { complete, wall } = begin({
      opens: async () => {
        if (broken) throw new Error('it broke');
      },
    });
    const first = complete(wish);
    await wall.advance(2 * minute);
    expect((await first).state).toBe('impossible');
    broken = false;
    await wall.advance(2 * minute);
    expect((await complete(wish)).state).toBe('known');
  });
});

describe('the preview of a rule', () => {
  const about = (condition: string) => ({ rule: rule({ condition }) });

  test('has the rule’s own alerts, and does not wait for the standard ones', async () => {
    const asked = begin({
      at: (moment) => priced({ BTCUSDT: moment > end ? 100 : 40 }, moment),
      detectors: [{ detector: { ...example('slow'), observe: ({ signal }) => untilAborted(signal) } }],
    });
    const standard = await asked.atOnce(wish);
    const preview = await asked.complete(about('price.last > 50'));
    expect(standard.state).toBe('pending');
    expect(preview).toMatchObject({ state: 'known', source: 'replayed', to: expect.any(Number) });
    expect(beginnings(preview)).toHaveLength(1);
  });

  test('begins with the data it needs, and is unknown without any', async () => {
    const known = (since: number) => ({
      at: (moment: number) =>
        moment >= since
          ? clientAt(moment)
          : {
              ...clientAt(moment),
              marketOverview: () => Promise.reject(new ApiError('/overview', 'server_error', 'none')),
            },
    });
    const late = now - 10 * day;
    const preview = await begin(known(late)).complete(about('price.last > 0'));
    expect(preview.state === 'known' && preview.from - late).toBeLessThan(minute);
    const never = await begin(known(Number.POSITIVE_INFINITY)).complete(about('price.last > 0'));
    expect(never.state).toBe('impossible');
  });

  test('continues for those who ask again, and is not started twice', async () => {
    let opens = 0;
    const { atOnce } = begin({
      detectors: [],
      opens(signal) {
        opens += 1;
        return untilAborted(signal);
      },
    });
    const states = [await atOnce(about('price.last > 1')), await atOnce(about('price.last > 1'))];
    expect([states.map(({ state }) => state), opens]).toEqual([['pending', 'pending'], 1]);
  });

  test('that takes too long is ended, and no other runs beside it', async () => {
    let running = 0;
    let most = 0;
    const { atOnce, wall } = begin({
      detectors: [],
      at: (moment) => ({
        ...clientAt(moment),
        async marketOverview(_, signal) {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => signal?.addEventListener('abort', resolve));
          running -= 1;
          throw signal?.reason;
        },
      }),
    });
    const asked = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((value) => atOnce(about(`price.last > ${value}`))),
    );
    expect(asked.map(({ state }) => state)).toContain('impossible');
    await wall.advance(longestWait);
    const settled = await Promise.all(
      asked.map((preview) => (preview.state === 'pending' ? preview.complete : preview)),
    );
    expect(new Set(settled.map(({ state }) => state))).toEqual(new Set(['impossible']));
    expect([most, running]).toEqual([1, 0]);
  });

  test('waiting ends while an answer can still be edited on every platform', async () => {
    const { atOnce, wall } = begin({ opens: untilAborted });
    const first = await atOnce(wish);
    await wall.advance(longestWait);
    expect(longestWait).toBeLessThan(15 * minute);
    expect(first.state === 'pending' && (await first.complete).state).toBe('impossible');
  });
});

describe('with a hosted service', () => {
  const kept = (...alerts: readonly Alert[]) => ({ hosted: { kept: async () => [...alerts] } });
  const cascade = (over: Partial<Alert> = {}) => revision({ at: 0, kind: 'liquidation-cascade', ...over });
  const partOf = ({ id, labels, peak }: Alert, late: boolean) => ({ id, labels, peak, title: '', late });

  test.each<[rule: string, alerts: readonly Alert[], posts: number]>([
    ['the stored alerts are counted', [revision({ at: 0 })], 1],
    [
      'a part of a stored event is not counted beside it',
      [
        cascade(),
        ...[1, 2].map((n) => revision({ at: n * second, id: `part-${n}`, partOf: partOf(cascade(), false) })),
      ],
      1,
    ],
    [
      'a part that was sent before its event began is counted',
      [
        cascade({ startsAt: start + 10 * minute }),
        revision({ at: 0, id: 'part', partOf: partOf(cascade(), true) }),
      ],
      2,
    ],
  ])('%s', async (_, alerts, posts) => {
    const preview = await begin(kept(...alerts)).atOnce(wish);
    expect(preview).toMatchObject({ state: 'known', source: 'kept', posts });
  });

  test.each([
    ['never seen', undefined],
    ['seen for less than an hour', { since: now - 59 * minute, seen: [] }],
    ['too much to ask for', 'many'],
  ] as const)('a rule whose past was %s has no preview', async (_, seen) => {
    const preview = await begin({ hosted: { seen: async () => seen } }).complete({ rule: rule() });
    expect(preview.state).toBe('impossible');
  });

  test('a rule is replayed over what the bot has seen, from when it was seen', async () => {
    const since = now - day;
    const seen = [1, 2, 3].map((hours) => ({
      symbol: 'BTCUSDT',
      time: since + hours * hour,
      at: since + hours * hour,
      values: { 'price.last': hours === 2 ? 200 : 1 },
    }));
    const preview = await begin({ hosted: { seen: async () => ({ since, seen }) } }).complete({
      rule: rule(),
    });
    expect(preview).toMatchObject({ state: 'known', source: 'seen' });
    expect(beginnings(preview)).toHaveLength(1);
  });
});
