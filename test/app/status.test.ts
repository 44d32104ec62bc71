import { expect, it } from 'vitest';
import { readStatus, type StatusSources } from '#src/app/status.ts';
import { trackMeta } from '#src/client/meta.ts';
import type { RequestBudgetOptions } from '#src/client/request-budget.ts';
import { minute, second } from '#src/runtime/units.ts';
import { clientOf, json, serve, testWall } from '#test/client/service.ts';
import { answers } from '#test/support/data.ts';

const store = {
  outbox: { backlog: async () => ({ waiting: 0, oldest: null }) },
  sending: { paused: async () => null },
} as unknown as StatusSources['core']['store'];

/** Starts a service that can refuse, and returns how the bot shows it. */
async function start(
  refusal: { readonly status: number; readonly headers: Record<string, string> },
  budget: Partial<RequestBudgetOptions> = {},
) {
  let refuses = false;
  const wall = testWall();
  const { baseUrl } = await serve((request, response) =>
    refuses
      ? json({ error: 'no' }, refusal.status, refusal.headers)(request, response)
      : json({ ...answers.meta, marketTime: new Date(wall.now()).toISOString(), speed: 1 })(
          request,
          response,
        ),
  );
  const client = clientOf(baseUrl, { wall, budget });
  const meta = trackMeta(client.polls, { wall });
  const sources = {
    core: { client, meta, store, steady: wall },
    senders: { readiness: { refusals: new Map() } },
    watching: {
      watch: { status: () => [] },
      canary: { read: async () => ({ last: null, late: false }) },
    },
    startedAt: 0,
    clockAhead: () => 0,
  };
  await meta.refresh();
  return {
    wall,
    refuse: (given: boolean) => {
      refuses = given;
    },
    ask: () => meta.refresh().catch(() => {}),
    away: async () => (await readStatus(sources)).away,
  };
}

it.each([
  ['too many requests', { status: 429, headers: { 'retry-after': '300' } }, 'rate_limited'],
  ['not ready', { status: 503, headers: { 'retry-after': '300' } }, 'not_ready'],
] as const)(
  'a pause that the service asks for is shown with its reason, %s, and what is left of it',
  async (_, refusal, reason) => {
    const { wall, refuse, ask, away } = await start(refusal);
    expect(await away()).toBeUndefined();
    const heardAt = wall.now();
    refuse(true);
    wall.advance(minute);
    await ask();
    expect(await away()).toEqual({ since: heardAt, pause: { reason, left: 5 * minute } });
    wall.advance(4 * minute);
    await ask();
    expect(await away()).toEqual({ since: heardAt, pause: { reason, left: minute } });
    refuse(false);
    // Over, and not asked yet: that is no silence of the service.
    wall.advance(minute + second);
    expect(await away()).toBeUndefined();
    await ask();
    expect(await away()).toBeUndefined();
  },
);

it('a service that does not answer after the pause that it asked for is shown as not answering', async () => {
  const { wall, refuse, ask, away } = await start({ status: 429, headers: { 'retry-after': '300' } });
  const heardAt = wall.now();
  refuse(true);
  wall.advance(minute);
  await ask();
  wall.advance(9 * minute);
  expect(await away()).toEqual({ since: heardAt });
});

it('a spent budget is shown as that, not as a service that does not answer', async () => {
  const { wall, ask, away } = await start(
    { status: 500, headers: {} },
    { limit: 2, reserve: 1, window: 15 * minute },
  );
  const heardAt = wall.now();
  wall.advance(5 * minute);
  await ask();
  expect(await away()).toEqual({ since: heardAt, pause: { reason: 'budget_spent', left: 10 * minute } });
});
