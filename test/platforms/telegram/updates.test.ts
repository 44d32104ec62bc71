import { pino } from 'pino';
import type { Update } from 'telegraf/types';
import { describe, expect, it, vi } from 'vitest';
import { languages } from '#src/language/languages.ts';
import { createIntake } from '#src/platforms/telegram/intake.ts';
import { webhookSecret } from '#src/platforms/telegram/webhook.ts';
import { type WallClock, wallClock } from '#src/runtime/clock.ts';
import { Secret } from '#src/runtime/secret.ts';
import { day } from '#src/runtime/units.ts';
import { managerRights, mayRun, memberRights, type Rights } from '#src/shell/rights.ts';
import { fakeClock } from '#test/support/clock.ts';
import { commands } from '#test/support/commands.ts';
import { patience } from '#test/support/patience.ts';
import { memoryPlaces } from '#test/support/places.ts';
import { ada, bob, token } from '#test/support/telegram/double.ts';
import { double, platform, waitFor } from './fixture.ts';

/** Returns a clock whose sleeps are recorded and end at once. */
function impatient() {
  const pauses: number[] = [];
  const wall: WallClock = {
    ...wallClock,
    sleep: (ms, signal) => {
      pauses.push(ms);
      return wallClock.sleep(5, signal);
    },
  };
  return { wall, pauses };
}

describe('updates fetched by polling', () => {
  it('are neither lost nor handled twice across a restart', async () => {
    const telegram = await double();
    const kept = memoryPlaces();
    const first = await platform(telegram, { ports: { places: kept.places } });
    telegram.say('/market');
    await waitFor(() => telegram.texts(ada.id).length, 1);
    await first.close();
    telegram.say('/regime');
    const second = await platform(telegram, { ports: { places: kept.places } });
    await waitFor(() => telegram.texts(ada.id).length, 2);
    expect([...first.asked, ...second.asked].map(({ line }) => line)).toEqual(['market', 'regime']);
  });

  it('are fetched by one process: the log says if another one does, and polling continues when that ends', async () => {
    const telegram = await double();
    const { wall, pauses } = impatient();
    const conflict = { code: 409, description: 'Conflict: terminated by other getUpdates request' };
    telegram.inject({ method: 'getUpdates', times: 8, how: { answer: conflict } });
    const bot = await platform(telegram, { ports: { wall } });
    telegram.say('/market');
    await waitFor(() => telegram.texts(ada.id).length, 1);
    expect(bot.lines.filter((line) => line.includes('another process fetches'))).toHaveLength(1);
    expect(pauses.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1_000));
  });

  it.each(['html page', 'half an answer', 'reset before', 'garbage result'] as const)(
    'are fetched again after %s',
    async (how) => {
      const telegram = await double();
      const bot = await platform(telegram, { ports: { wall: impatient().wall } });
      telegram.inject({ method: 'getUpdates', times: 2, how });
      telegram.say('/market');
      await waitFor(() => telegram.texts(ada.id).length, 1);
      telegram.say('/regime');
      await waitFor(() => telegram.texts(ada.id).length, 2);
      expect(bot.lines.join('')).not.toContain(token);
    },
  );

  it('stay with Telegram while another process may fetch them', async () => {
    const telegram = await double();
    const { wall, pauses } = impatient();
    let holds = false;
    const bot = await platform(telegram, { ports: { wall, holdsRole: () => holds } });
    telegram.say('/market');
    await vi.waitFor(() => expect(pauses.length).toBeGreaterThan(3), { timeout: patience });
    expect(telegram.calls.map(({ method }) => method)).not.toContain('getUpdates');
    expect(bot.asked).toEqual([]);
    holds = true;
    await waitFor(() => telegram.texts(ada.id).length, 1);
  });

  it('wait for as long as Telegram asks', async () => {
    const telegram = await double();
    const { wall, pauses } = impatient();
    const limited = { code: 429, description: 'Too Many Requests', parameters: { retry_after: 43_838 } };
    telegram.inject({ method: 'getUpdates', how: { answer: limited } });
    await platform(telegram, { ports: { wall } });
    telegram.say('/market');
    await waitFor(() => telegram.texts(ada.id).length, 1);
    expect(pauses[0]).toBe(43_838_000);
  });

  it('come again after one passing 401, and it is said that it is over', async () => {
    const telegram = await double();
    let ahead = 0;
    const reports: string[] = [];
    telegram.inject({ method: 'getUpdates', how: { answer: { code: 401, description: 'Unauthorized' } } });
    await platform(telegram, {
      ports: {
        wall: impatient().wall,
        steady: { now: () => ahead },
        reportTokenRefused: () => void reports.push('refused'),
        reportTokenAccepted: () => void reports.push('accepted'),
      },
    });
    await waitFor(() => reports, ['refused']);
    ahead = 60_000;
    telegram.say('/market');
    await waitFor(() => telegram.texts(ada.id).length, 1);
    expect(reports).toEqual(['refused', 'accepted']);
  });

  it('pause while the token is refused, which is reported once and without the token', async () => {
    const telegram = await double();
    const refusals: unknown[] = [];
    const bot = await platform(telegram, {
      ports: { wall: impatient().wall, reportTokenRefused: (reason) => void refusals.push(reason) },
    });
    await waitFor(() => telegram.updates.polled(), true);
    telegram.revoke();
    await waitFor(() => refusals.length, 1);
    await bot.close();
    expect(refusals).toHaveLength(1);
    expect(bot.lines.join('')).not.toContain(token);
  });

  it('are waited for if Telegram cannot be reached at the start', async () => {
    const telegram = await double();
    telegram.inject({ method: 'getMe', times: 2, how: 'reset before' });
    await platform(telegram, { ports: { wall: impatient().wall } });
    telegram.say('/market');
    await waitFor(() => telegram.texts(ada.id).length, 1);
  });
});

async function webhook({
  query = '',
  ports = {},
}: {
  readonly query?: string;
  readonly ports?: NonNullable<Parameters<typeof platform>[1]>['ports'];
} = {}) {
  const telegram = await double();
  const started = await platform(telegram, {
    ports,
    options: { webhook: { url: `https://bot.example/hook${query}`, host: '127.0.0.1', port: 0 } },
  });
  const url = `http://127.0.0.1:${started.webhookPort}/hook`;
  await vi.waitFor(() => expect(telegram.updates.webhook()).toBeDefined(), { timeout: patience });
  const { secret: registered } = telegram.updates.webhook() ?? {};
  telegram.updates.setWebhook(`${url}${query}`, registered);
  const post = (body: string, headers: Record<string, string> = {}, path = url) =>
    fetch(path, { method: 'POST', body, headers }).then(({ status }) => status);
  return { telegram, started, url, post };
}

describe('updates received by webhook', () => {
  const secret = webhookSecret(new Secret(token));

  it.each(['', '?key=7'])('are handled, with the query "%s" in the URL', async (query) => {
    const { telegram } = await webhook({ query });
    telegram.say('/market');
    await waitFor(() => telegram.texts(ada.id).length, 1);
    expect(telegram.updates.pending()).toEqual([]);
  });

  it('are refused without the secret, at another path, or if they are invalid', async () => {
    const { post, url, started } = await webhook();
    const update = JSON.stringify({
      update_id: 1,
      message: { message_id: 1, date: 0, chat: { id: ada.id, type: 'private' }, from: ada, text: '/market' },
    });
    const known = { 'x-telegram-bot-api-secret-token': secret };
    expect(await post(update)).toBe(403);
    expect(await post(update, { 'x-telegram-bot-api-secret-token': `${secret}x` })).toBe(403);
    expect(await post(update, { 'x-telegram-bot-api-secret-token': '' })).toBe(403);
    expect(await post(update, known, `${url}/other`)).toBe(404);
    expect(await post('{"update_id":', known)).toBe(400);
    expect(await post('[]', known)).toBe(400);
    expect(await post('x'.repeat(1_100_000), known)).toBe(400);
    expect(started.asked).toEqual([]);
  });

  it('are delivered again until they are stored, and handled once', async () => {
    const { places, facts } = memoryPlaces();
    let failing = 2;
    const remember: typeof places.remember = async (name, value) => {
      if (name.startsWith('telegram updates') && failing > 0) {
        failing -= 1;
        throw new Error('the disk is full');
      }
      facts.set(name, value);
    };
    const { telegram, started } = await webhook({ ports: { places: { ...places, remember } } });
    telegram.say('/market');
    await waitFor(() => telegram.updates.pending(), []);
    await waitFor(() => telegram.texts(ada.id).length, 1);
    expect(telegram.updates.webhookAnswers).toContain(503);
    expect(started.asked).toHaveLength(1);
  });

  it('are all handled, once, though Telegram delivers those of other chats before it repeats one', async () => {
    const { places, facts } = memoryPlaces();
    let failing = 1;
    const remember: typeof places.remember = async (name, value) => {
      if (name.startsWith('telegram updates') && failing > 0) {
        failing -= 1;
        throw new Error('the database is away');
      }
      facts.set(name, value);
    };
    const { telegram, started } = await webhook({ ports: { places: { ...places, remember } } });
    telegram.say('/market');
    telegram.say('/regime', { chatId: bob.id, user: bob });
    await waitFor(() => telegram.updates.pending(), []);
    await waitFor(() => started.asked.map(({ line }) => line), ['regime', 'market']);
    expect(telegram.updates.webhookAnswers).toEqual([503, 200, 200]);
  });
});

describe('the intake', () => {
  const update = (id: number): Update => ({ update_id: id, message: { text: String(id) } }) as never;

  function fixture(wall: WallClock = wallClock) {
    const kept = memoryPlaces();
    const lines: string[] = [];
    const open = async (
      handle: (id: number) => Promise<void> = async () => {},
      { remember = kept.places.remember, holdsRole = (): boolean => true } = {},
    ) => {
      const handled: number[] = [];
      const intake = await createIntake({
        name: 'x',
        places: { ...kept.places, remember },
        holdsRole,
        wall,
        stopping: new AbortController().signal,
        log: pino({ base: null, timestamp: false }, { write: (line) => void lines.push(line) }),
        async handle({ update_id }) {
          handled.push(update_id);
          await handle(update_id);
        },
      });
      return { intake, handled };
    };
    return { ...kept, lines, open };
  }

  it('waits two seconds for what it handles when it stops, and leaves the rest to the next start', async () => {
    const wall = fakeClock(0);
    const { open } = fixture(wall);
    const { intake } = await open(() => new Promise(() => {}));
    await intake.accept([update(1)]);
    let isClosed = false;
    const closing = intake.close().then(() => {
      isClosed = true;
    });
    await wall.advance(1_999);
    expect(isClosed).toBe(false);
    await wall.advance(1);
    await closing;
  });

  it('handles after a kill what it had accepted and not finished, and nothing else, and logs that', async () => {
    const { open, facts, lines } = fixture();
    const killed = await open((id) => (id === 2 ? new Promise(() => {}) : Promise.resolve()));
    await killed.intake.accept([update(1), update(2), update(3)]);
    const journal = () => (JSON.parse(facts.get('x') ?? '{}') as { pending: Update[] }).pending;
    await waitFor(() => journal().map(({ update_id }) => update_id), [2]);
    const next = await open();
    await waitFor(() => next.handled, [2]);
    await next.intake.accept([update(2), update(3), update(4)]);
    await waitFor(() => next.handled, [2, 4]);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { level: 40, updates: [2], msg: expect.stringContaining('may come twice') },
    ]);
  });

  it('continues if a handler throws', async () => {
    const { open } = fixture();
    const { intake, handled } = await open(() => Promise.reject(new Error('a defect')));
    await intake.accept([update(1)]);
    await intake.accept([update(2)]);
    await waitFor(() => handled, [1, 2]);
  });

  it('handles nothing that it could not store, and handles it once when it comes again', async () => {
    const { open, places } = fixture();
    let failing = true;
    const remember: typeof places.remember = (name, value) =>
      failing ? Promise.reject(new Error('the database is away')) : places.remember(name, value);
    const { intake, handled } = await open(undefined, { remember });
    await expect(intake.accept([update(1), update(2)])).rejects.toThrow('the database is away');
    expect([intake.next(), handled]).toEqual([0, []]);
    failing = false;
    await intake.accept([update(1), update(2)]);
    await intake.accept([update(2)]);
    await intake.close();
    expect([intake.next(), handled]).toEqual([3, [1, 2]]);
  });

  it('leaves updates that were fetched before the role was lost to the process that has it by now', async () => {
    const { open, facts } = fixture();
    const { intake, handled } = await open(undefined, { holdsRole: () => false });
    await expect(intake.accept([update(1)])).rejects.toThrow(/another process/);
    expect([intake.next(), handled, facts.size]).toEqual([0, [], 0]);
  });

  it('leaves what another process has accepted since it lost the role', async () => {
    const { open, facts } = fixture();
    let holds = true;
    const finish = Promise.withResolvers<void>();
    const first = await open(() => finish.promise, { holdsRole: () => holds });
    await first.intake.accept([update(1)]);
    holds = false;
    const second = await open(() => new Promise(() => {}));
    await second.intake.accept([update(2)]);
    finish.resolve();
    await first.intake.close();
    expect(JSON.parse(facts.get('x') ?? '{}')).toMatchObject({
      next: 3,
      pending: [{ update_id: 1 }, { update_id: 2 }],
    });
  });

  it('handles each update once that comes later than newer ones, also after a restart', async () => {
    const { open } = fixture();
    const first = await open();
    for (const id of [10_001, 10_005, 10_003, 10_003, 10_005]) await first.intake.accept([update(id)]);
    await first.intake.close();
    const second = await open();
    for (const id of [10_001, 10_002, 10_003, 10_004, 10_006, 10_002, 10_005])
      await second.intake.accept([update(id)]);
    await second.intake.close();
    expect([first.handled, second.handled]).toEqual([
      [10_001, 10_005, 10_003],
      [10_002, 10_004, 10_006],
    ]);
    expect(second.intake.next()).toBe(10_007);
  });

  it('accepts lower identifiers again after a day without updates', async () => {
    const clock = fakeClock(10 * day);
    const { open } = fixture(clock);
    const { intake, handled } = await open();
    await intake.accept([update(900)]);
    await intake.accept([update(5)]);
    await clock.advance(day + 1);
    expect(intake.next()).toBe(0);
    await intake.accept([update(5)]);
    expect(handled).toEqual([900, 5]);
  });

  it('starts afresh if its stored state is unreadable', async () => {
    const { open, facts } = fixture();
    facts.set('x', '{"next":');
    const { intake } = await open();
    expect(intake.next()).toBe(0);
  });
});

describe('the menu', () => {
  it('is set in every language, and again only when it has changed', async () => {
    const telegram = await double();
    const { places } = memoryPlaces();
    const menus = () => telegram.calls.filter(({ method }) => method === 'setMyCommands').length;
    const all = 3 * languages.length;
    for (const count of [all, all]) {
      const bot = await platform(telegram, { ports: { places } });
      await waitFor(() => telegram.updates.polled(), true);
      expect(menus()).toBe(count);
      await bot.close();
    }
    expect(telegram.menus.get('default es')).toContainEqual({
      command: 'market',
      description: expect.stringMatching(/^Todo el mercado: régimen/),
    });
    await platform(telegram, { ports: { places, commands: commands.slice(1) } });
    await waitFor(menus, 2 * all);
  });

  it('shows everyone what they may use, and no more', async () => {
    const telegram = await double();
    await platform(telegram, {});
    await waitFor(() => telegram.updates.polled(), true);
    const shown = (scope: string) => telegram.menus.get(scope)?.map(({ command }) => command);
    const usable = (rights: Rights) =>
      commands.filter((command) => mayRun(command, { rights })).map(({ name }) => name.replaceAll('-', '_'));
    expect(shown('default')).toEqual(usable(memberRights));
    expect(shown('all_private_chats')).toEqual(usable(managerRights));
    expect(shown('all_chat_administrators')).toEqual(usable(managerRights));
    expect(shown('default')).not.toContain('subscribe');
    expect(shown('all_private_chats')).not.toContain('pause');
  });
});
