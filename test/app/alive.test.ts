import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Change } from '#src/alert/alert.ts';
import { ownRule } from '#src/alert/rule.ts';
import { aliveLine, failureReason, keepAliveLine, keepPinging, type Work } from '#src/app/alive.ts';
import { Secret } from '#src/runtime/secret.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import { fakeClock } from '#test/support/clock.ts';

const fresh = { fresh: true };
const checks = { candles: fresh, funding_history: fresh, oi_history: fresh };
const withOld = (check: string): Work['quality'] => ({
  status: 'DEGRADED',
  checks: { ...checks, [check]: { fresh: false } },
});

const works: Work = {
  detectors: [
    { name: 'price-move', lastSuccess: 0 },
    { name: 'listing', lastSuccess: null },
  ],
  quality: { status: 'HEALTHY', checks },
  waiting: null,
  refused: 0,
  paused: false,
};

describe('the bot counts as working', () => {
  it.each<[string, Partial<Work>, number, RegExp | undefined]>([
    ['one detector has just seen the market and nothing waits', {}, 0, undefined],
    ['a message waits for its place’s pace', { waiting: 5 * minute }, 0, undefined],
    ['not while no detector has seen the market for long', {}, 16 * minute, /no detector/],
    ['nor where one has by a clock that was set back since', {}, -2 * hour, /no detector/],
    [
      'not before the first look',
      { detectors: [{ name: 'price-move', lastSuccess: null }] },
      0,
      /no detector .* yet$/,
    ],
    [
      'not while only the look for own alerts succeeds, which asks for nothing where there are none',
      {
        detectors: [
          { name: 'price-move', lastSuccess: 0 },
          { name: ownRule, lastSuccess: 16 * minute },
        ],
      },
      16 * minute,
      /no detector/,
    ],
    [
      'own alerts are all that looks, and have just seen the market',
      { detectors: [{ name: ownRule, lastSuccess: 0 }] },
      0,
      undefined,
    ],
    ['the service does not say how old its data is', { quality: undefined }, 0, undefined],
    ['there are no liquidations', { quality: withOld('liquidation_events') }, 0, undefined],
    ['not while detectors get old data', { quality: withOld('oi_history') }, 0, /old data only: oi_history$/],
    ['not while the service reports its data as down', { quality: { status: 'DOWN', checks } }, 0, /DOWN/],
    ['not while a message waits for long', { waiting: 11 * minute }, 0, /due for more/],
    ['not while a platform refuses its token', { refused: 1 }, 0, /token/],
    ['not while sending is paused', { paused: true }, 0, /paused/],
    ['not while a test alert does not arrive', { lateCanary: true }, 0, /test alert has not arrived/],
    ['not while the database is lost', { database: 'the file was deleted' }, 0, /was deleted/],
  ])('%s', (_, given, now, expected) => {
    const problem = failureReason({ ...works, ...given }, now);
    if (expected === undefined) expect(problem).toBeUndefined();
    else expect(problem).toMatch(expected);
  });
});

function fixture() {
  const clock = fakeClock();
  const work = { lastSuccess: clock.now() as number | null, oldest: null as number | null };
  const looked = { lastRun: 0, waitingSince: 0 };
  const logged: string[] = [];
  const say = (level: string) => (context: unknown, text?: string) =>
    void logged.push(
      `${level}: ${text ?? String(context)}${text === undefined ? '' : ` ${JSON.stringify(context)}`}`,
    );
  let kept: unknown;
  const options = {
    store: {
      guard: { problem: () => null },
      outbox: { backlog: async () => ({ waiting: 0, oldest: work.oldest }) },
      sending: { paused: async () => null },
      detectors: { state: async () => kept },
    } as unknown as Parameters<typeof keepPinging>[1]['store'],
    detectors: () => [
      { ...looked, name: 'a', lastSuccess: work.lastSuccess, problem: null },
      { ...looked, name: 'b', lastSuccess: work.lastSuccess, problem: { message: 'away' } },
    ],
    quality: () => works.quality,
    refusals: new Map(),
    market: () => ({ now: clock.now, speed: 1, wallUntil: () => 0 }),
    wall: clock,
    log: { info: say('info'), warn: say('warn') } as Parameters<typeof keepPinging>[1]['log'],
  };
  return {
    clock,
    work,
    logged,
    options,
    keep: (state: unknown) => {
      kept = state;
    },
  };
}

it('the URL is requested only while the bot works; the log says once that it stopped, without the URL', async () => {
  const { clock, work, logged, options } = fixture();
  let pings = 0;
  const watchers = createServer((_, response) => {
    pings += 1;
    response.end('OK');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void watchers.close());
  await once(watchers, 'listening');
  const url = new Secret(`http://127.0.0.1:${(watchers.address() as AddressInfo).port}/uuid-of-ours`);
  const pinging = keepPinging({ url, every: minute }, options);
  while (pings < 2) await clock.advance(minute);
  work.oldest = clock.now() - hour;
  // A request in progress has arrived by then.
  while (logged.length === 0) await clock.advance(minute);
  const before = pings;
  for (let n = 0; n < 3; n += 1) await clock.advance(minute);
  await pinging.stop();
  expect(pings).toBe(before);
  expect(logged).toEqual([expect.stringMatching(/^warn: the URL of alive is not asked for .*due for more/)]);
  expect(logged.join()).not.toContain('uuid-of-ours');
});

it('a line a day says that the bot works and how many kinds have data, and ends the one before, also of a wrong clock', async () => {
  const { clock, work, options, keep } = fixture();
  const posted: Change[] = [];
  const pipeline = {
    async dispatch(
      _: object,
      { state, changes }: { readonly state: unknown; readonly changes: readonly Change[] },
    ) {
      keep(state);
      posted.push(...changes);
    },
  };
  const only = { notifier: 'telegram', address: { chatId: '7' } };
  const line = keepAliveLine({ only, pipeline }, options);
  const days = () => posted.map(({ status, labels }) => [status, Number(labels.day)]);
  const today = Math.floor(clock.now() / day);
  for (let n = 0; n < 5; n += 1) await clock.advance(minute);
  expect(days()).toEqual([['firing', today]]);
  expect(posted[0]).toMatchObject({
    only,
    labels: { kind: aliveLine },
    annotations: { title: expect.anything() },
  });
  work.lastSuccess = clock.now() + day;
  await clock.advance(day);
  expect(days().slice(1)).toEqual([
    ['resolved', today],
    ['firing', today + 1],
  ]);
  await clock.advance(2 * day);
  expect(posted).toHaveLength(3);
  keep({ day: today + 365 });
  work.lastSuccess = clock.now();
  await clock.advance(minute);
  expect(days().slice(3)).toEqual([
    ['resolved', today + 365],
    ['firing', today + 3],
  ]);
  await line.stop();
});
