import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { UserError } from '#src/language/errors.ts';
import { languages } from '#src/language/languages.ts';
import type { ConsoleOptions } from '#src/platforms/web/console.ts';
import type { AlertFeed, AlertRow } from '#src/platforms/web/ports/alert-feed.ts';
import type { Board, BoardPatch, MarketRow } from '#src/platforms/web/ports/board.ts';
import { hour, minute } from '#src/runtime/units.ts';
import type { BotStatus } from '#src/shell/command.ts';
import { hearAnnouncements } from '#test/support/announcements.ts';
import { violationsOf } from '#test/support/axe.ts';
import { alertRow, someBoard } from '#test/support/board.ts';
import { inBrowser } from '#test/support/browser.ts';
import { alertCard, botStatus, marketNow, noAlerts, someConnecting } from '#test/support/console.ts';
import { faults } from '#test/support/faults.ts';

const past: readonly AlertRow[] = [
  alertRow('a1', {
    severity: 'critical',
    title: 'Liquidation cascade: $4.1M of longs in 10 min across 27 markets',
    groupName: 'cascade',
  }),
  alertRow('a2', {
    endsAt: marketNow - hour,
    status: 'resolved',
    startsAt: marketNow - 2 * hour,
    title: 'ETH funding is extreme: longs pay 0.0910%',
  }),
  alertRow('a3', {
    endsAt: marketNow - 3 * hour,
    status: 'resolved',
    startsAt: marketNow - 4 * hour,
    groupName: 'moves',
    delivery: 'held',
    reason: 'quiet hours until 07:00',
    title: 'SOL +5.20% in 5 min',
  }),
];

/** Returns a board and a feed that the test can change. */
function live(rows = past) {
  const listeners = new Set<(patch: BoardPatch) => void>();
  let now = rows;
  let changed: readonly AlertRow[] = [];
  const board: Board = { read: someBoard, onPatch: (listener) => void listeners.add(listener) };
  const feed: AlertFeed = {
    ...noAlerts,
    page: async () => now,
    changed: async () => changed,
    life: async (_, id) => ({
      row: now.find((each) => each.id === id) ?? alertRow(id),
      card: alertCard,
      after: {
        title: 'SOL price afterwards',
        facts: [{ name: 'Record', value: 'no evidence yet' }],
        ...(alertCard.chart !== undefined && { chart: alertCard.chart }),
      },
      states: [
        { at: marketNow - hour, state: 'began' },
        { at: marketNow, state: 'ended', text: 'It is over' },
      ],
      deliveries: [
        {
          at: marketNow,
          revision: 1,
          notifier: 'telegram',
          place: '-100200300',
          title: 'SOL',
          outcome: 'suppressed',
          reason: 'quiet hours until 07:00',
        },
      ],
    }),
  };
  return {
    board,
    feed,
    patch: (patch: BoardPatch) => {
      for (const listener of listeners) listener(patch);
    },
    change(...next: AlertRow[]) {
      changed = next;
      now = [...next, ...now.filter(({ id }) => !next.some((each) => each.id === id))];
    },
  };
}

/** Counts, from now on or from the page's beginning, how far what the page shows has moved, of itself and not by what somebody did. */
async function countShifts(page: Page, buffered = false): Promise<() => Promise<unknown>> {
  await page.evaluate(`
    globalThis.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: ${buffered} });
  `);
  return () => page.evaluate('globalThis.shift');
}

/** Answers a command with a chart whose title is the line. */
const askPicture: ConsoleOptions['ask'] = async (request) => {
  const line = String(request);
  const { chart } = alertCard;
  return line.startsWith('chart ') && chart !== undefined
    ? { title: line, chart: { ...chart, title: line }, facts: [{ name: 'Levels', value: 'by chance' }] }
    : { title: `You said ${line}` };
};

inBrowser('the console beside the chat', ({ start, open }) => {
  /** Opens the page, at a path of its own, over a board and a feed that the test can change. */
  async function visit({
    rows = past,
    read = someBoard,
    path = '',
    ...given
  }: { rows?: typeof past; read?: Board['read']; path?: string } & Parameters<typeof start>[0] = {}) {
    const { board, feed, ...market } = live(rows);
    const options = { board: { ...board, read }, feed, ...given };
    return { ...market, ...(await open(path, options, { viewport: { width: 1_440, height: 900 } })) };
  }
  const firingRows = (page: Page) => page.locator('.alert-line[data-open]');

  it('opens on the market with figures written as on cards, and shows no ended alert as firing, in its title neither', async () => {
    const { page, patch, change } = await visit();
    const btc = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'BTC', exact: true }) });
    await btc.waitFor();
    expect((await btc.locator('td').allTextContents()).slice(0, 3)).toEqual([
      '61,204.50',
      '−3.25%',
      '+12.50%',
    ]);
    await page.locator('header .regime').getByText('86%').waitFor();
    patch({
      'market/BTCUSDT': { symbol: 'BTCUSDT', price: 62_000, longsLiquidated: 0, shortsLiquidated: 0 },
    });
    await btc.getByText('62,000.00').waitFor();
    expect(await btc.locator('td').nth(1).textContent()).toBe('·');
    expect([await firingRows(page).count(), await page.title()]).toEqual([1, '(1) Tocsin']);
    await page.getByText('not sent: quiet hours until 07:00').waitFor();
    change(alertRow('a1', { revision: 2, status: 'resolved', endsAt: marketNow }));
    await expect
      .poll(async () => [await firingRows(page).count(), await page.title()])
      .toEqual([0, 'Tocsin']);
    expect(page.wrong).toEqual([]);
  });

  it('drops a market that left the board, whether the page or its stream was open at that time', async () => {
    let now = someBoard();
    const { page, url, patch } = await visit({ read: () => now });
    const rowsOf = (name: string) => page.locator('.markets th, .heat th').filter({ hasText: name });
    await rowsOf('ETH').nth(1).waitFor();
    patch({ 'market/ETHUSDT': null, 'trail/ETHUSDT': null, 'settlements/ETHUSDT': null });
    await expect.poll(() => rowsOf('ETH').count()).toBe(0);
    const others = Object.entries(someBoard()).filter(([key]) => !/(ETH|SOL)USDT/.test(key));
    now = Object.fromEntries(others);
    expect(await rowsOf('SOL').count()).toBe(2);
    // A new tab makes the first one open its stream again.
    await (await page.context().newPage()).goto(url);
    await expect.poll(() => rowsOf('SOL').count()).toBe(0);
    expect(await rowsOf('BTC').count()).toBeGreaterThan(0);
    expect(page.wrong).toEqual([]);
  });

  it('draws one extreme market at the edge, so that it does not press all others together', async () => {
    const board: { [market: `market/${string}`]: MarketRow } = {};
    for (let n = 0; n < 20; n += 1)
      board[`market/M${n}USDT`] = {
        symbol: `M${n}USDT`,
        price: 1,
        change1h: (n - 9.5) / 10,
        interest1h: n === 19 ? 48 : (n - 9.5) / 10,
        longsLiquidated: 0,
        shortsLiquidated: 0,
      };
    const { page } = await visit({ read: () => board });
    await page.locator('.quadrant circle').nth(19).waitFor();
    expect(await page.locator('.quadrant .beyond title').allTextContents()).toEqual([
      'M19 +0.95%, OI +48.00%',
    ]);
    const across = await page
      .locator('.quadrant circle:not(.beyond)')
      .evaluateAll((dots) => dots.map((dot) => Number(dot.getAttribute('cx'))));
    expect(Math.max(...across) - Math.min(...across)).toBeGreaterThan(200);
    expect(page.wrong).toEqual([]);
  });

  it.each(languages)(
    'the header is one row from 1,280 px on, and a phone shows all of it: %s',
    async (locale) => {
      let away: BotStatus['away'];
      const status = async () => ({
        ...botStatus,
        feeds: [],
        loaded: 0.41,
        ready: false,
        ...(away && { away }),
      });
      const { board } = live();
      const { page } = await open(
        '/',
        { board, status },
        { viewport: { width: 1_280, height: 800 }, locale },
      );
      await page.locator('header .regime').waitFor();
      expect((await page.locator('#app > header').boundingBox())?.height).toBeLessThan(50);
      away = { since: marketNow, pause: { reason: 'rate_limited', left: 59 * minute } };
      await page.locator('.banner').waitFor();
      await page.setViewportSize({ width: 320, height: 800 });
      expect(await faults(page)).toEqual([]);
    },
  );

  it('shows a cascade of fifty alerts in few rows and few announcements, and shifts little', async () => {
    const { page, change } = await visit({ rows: [] });
    await page.getByText('No alerts yet').waitFor();
    const shifted = await countShifts(page, true);
    const said = await hearAnnouncements(page);
    const cascade = Array.from({ length: 50 }, (_, n) =>
      alertRow(`c${n}`, {
        symbol: `M${n}USDT`,
        startsAt: marketNow + n,
        groupName: n % 2 === 0 ? 'OI unwinds' : 'moves',
      }),
    );
    for (const upTo of [10, 30, 50]) {
      change(...cascade.slice(0, upTo));
      await expect
        .poll(() => firingRows(page).locator('b').allTextContents())
        .toEqual([`×${upTo / 2}`, `×${upTo / 2}`]);
    }
    await expect.poll(async () => (await said()).length).toBeGreaterThan(0);
    expect((await said()).length).toBeLessThanOrEqual(3);
    expect(await shifted()).toBeLessThan(0.02);
    await firingRows(page).first().click();
    await page.locator('.unfolded li').nth(24).waitFor();
  });

  it('a new alert moves no line, and none changes while somebody points at the list', async () => {
    const { page, change } = await visit();
    const lines = page.locator('.now .alert-line .headline');
    await lines.nth(2).waitFor();
    const shifted = await countShifts(page);
    const begins = (id: string, after: number) =>
      change(alertRow(id, { title: `new: ${id}`, groupName: id, startsAt: marketNow + after }));
    begins('n1', 1);
    await expect.poll(() => lines.first().textContent()).toBe('new: n1');
    expect(await shifted()).toBeLessThan(0.001);
    await lines.first().hover();
    begins('n2', 2);
    await page.getByText('3 firing').waitFor();
    expect(await lines.first().textContent()).toBe('new: n1');
    await page.mouse.move(10, 10);
    await expect.poll(() => lines.first().textContent(), { timeout: 5_000 }).toBe('new: n2');
  });

  it('a minute of liquidations, new orders of the markets and a service that is away shifts nothing', async () => {
    let away: BotStatus['away'];
    const { page, patch } = await visit({
      status: async () => ({ ...botStatus, ...(away && { away }) }),
      rows: [],
    });
    await page.locator('table.markets tbody tr').nth(5).waitFor();
    const shifted = await countShifts(page);
    const first = () => page.locator('table.markets tbody tr a').first().textContent();
    expect(await first()).not.toBe('BTC');
    away = { since: marketNow };
    const event = { symbol: 'BTCUSDT', side: 'LONG', price: 60_000, usd: 5_000 } as const;
    const tape = someBoard().tape ?? { events: [], longs: 0, shorts: 0, coverage: [] };
    for (let n = 1; n <= 30; n += 1) {
      const events = Array.from({ length: 12 + n }, (_, at) => ({
        ...event,
        usd: n,
        at: marketNow + n - at,
      }));
      patch({ tape: { ...tape, events } });
      await page
        .locator('table.tape tbody tr')
        .nth(11 + n)
        .waitFor({ state: 'attached' });
    }
    const market = someBoard()['market/BTCUSDT'];
    if (market === undefined) throw new Error('the board has BTC');
    patch({ 'market/BTCUSDT': { ...market, change1h: 90, change24h: 90 } });
    await expect.poll(first).toBe('BTC');
    await page.getByRole('alert').getByText('Shown values may be old').waitFor();
    expect(await shifted()).toBeLessThan(0.01);
  });

  it('shows what an alert was, its states and why it was not sent; Back returns to the previous view', async () => {
    const { page } = await visit();
    await page.getByText('SOL +5.20% in 5 min').click();
    // The first card has the alert's evidence, the second what the price did afterwards.
    await page.locator('.life .card').nth(1).scrollIntoViewIfNeeded();
    await page.locator('.life .card').nth(1).locator('.plot svg:has(path)').waitFor();
    expect(await page.locator('.life .plot').first().getAttribute('aria-label')).toContain('EXTREME');
    expect(await page.locator('.life .card').nth(1).textContent()).toContain('no evidence yet');
    await page.getByText('It is over').waitFor();
    expect(await page.locator('.deliveries').textContent()).toContain('quiet hours until 07:00');
    expect(new URL(page.url()).pathname).toBe('/alerts/a3');
    expect(await page.locator('.list [aria-current]').allTextContents()).toEqual([
      expect.stringContaining('SOL +5.20% in 5 min'),
    ]);
    await page.goBack();
    await page.locator('.markets').waitFor();
    expect(page.wrong).toEqual([]);
  });

  it('shows why an alert cannot be read only until it can be', async () => {
    const { board, feed, change } = live();
    let fails = true;
    const life: AlertFeed['life'] = async (...asked) => {
      if (fails) throw new UserError('The database does not answer.');
      return feed.life(...asked);
    };
    const { page } = await visit({ board, feed: { ...feed, life }, path: '/alerts/a1' });
    await page.getByRole('alert').getByText('The database does not answer.').waitFor();
    fails = false;
    change(alertRow('a1', { revision: 2 }));
    await page.getByText('It is over').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('opens a row of several alerts if the URL names one of them', async () => {
    const rows = ['b1', 'b2', 'b3'].map((id) => alertRow(id, { title: `unwinds, ${id}` }));
    const { page } = await visit({ rows, path: '/alerts/b2' });
    await page.locator('.list [aria-current]').getByText('unwinds, b2').waitFor();
    await page.getByRole('button', { name: 'OI unwinds ×3' }).click();
    await page.locator('.list [aria-current]').waitFor({ state: 'detached' });
    expect(page.wrong).toEqual([]);
  });

  it('shows a market at an address of its own: its picture, its alerts, and commands that run as in any chat', async () => {
    const own = alertRow('e1', { symbol: 'ETHUSDT', title: 'ETH rose above 2,000' });
    const { page, asked } = await visit({ rows: [...past, own], ask: askPicture });
    await page.getByRole('link', { name: 'ETH', exact: true }).click();
    await page.locator('.market .plot svg:has(path)').waitFor();
    expect(new URL(page.url()).pathname).toBe('/market/ETHUSDT');
    await page.getByRole('link', { name: '4h' }).click();
    await page.getByRole('img', { name: /chart ETHUSDT 4h/ }).waitFor();
    expect(await page.locator('.candles .facts').textContent()).toBe('Levelsby chance');
    await page.reload();
    await page.getByRole('img', { name: /chart ETHUSDT 4h/ }).waitFor();
    expect(await page.locator('.market .alert-line').allTextContents()).toEqual([
      expect.stringContaining('ETH rose above 2,000'),
    ]);
    await page.getByRole('button', { name: 'funding ETH' }).click();
    await page.getByRole('heading', { name: 'You said funding ETH' }).waitFor();
    expect(asked).toEqual([]);
    await page.locator('#line').blur();
    await page.keyboard.press('6');
    await page.locator('.health').waitFor();
    expect(page.wrong).toEqual([]);
  });

  it('says why a market has no picture', async () => {
    const ask = async () => ({ title: 'ETH', summary: 'The data service offers no candles.' });
    const { page } = await visit({ ask, path: '/market/ETHUSDT' });
    await page.getByRole('status').getByText('The data service offers no candles.').waitFor();
  });

  it('leads from the command line to views, markets and alerts by what is typed; else it runs a command', async () => {
    const { page } = await visit();
    await page.locator('.markets').waitFor();
    const leads = async (text: string, to: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill(text);
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await expect.poll(() => new URL(page.url()).pathname).toBe(to);
    };
    await leads('reco', '/record');
    await leads('eth', '/market/ETHUSDT');
    await leads('+5.20%', '/alerts/a3');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('market');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Market: MARKUP, RISK_ON' }).waitFor();
    expect(page.wrong).toEqual([]);
  });

  it('keeps what alerts are chosen and how markets are sorted in the address', async () => {
    const { page, url } = await visit({ path: '/alerts?state=held' });
    const listed = page.locator('.list .alert-line');
    await expect.poll(() => listed.count()).toBe(1);
    await page.getByLabel('State').selectOption('');
    await page.getByLabel('Severity').selectOption('critical');
    await page.getByLabel('Text of the alert').fill('CASCADE');
    await expect
      .poll(() => listed.allTextContents())
      .toEqual([expect.stringContaining('Liquidation cascade')]);
    expect(new URL(page.url()).search).toBe('?severity=critical&text=CASCADE');
    await page.getByLabel('Text of the alert').fill('nothing is like this');
    await page.getByText('No alert is like that.').waitFor();
    await page.goto(url);
    await page.getByRole('button', { name: '24 h', exact: true }).click();
    expect(new URL(page.url()).search).toBe('?sort=-change24h');
    await page.reload();
    await page.locator('.markets th[aria-sort=descending]').getByText('24 h').waitFor();
    expect(page.wrong).toEqual([]);
  });

  it('older alerts are offered until the last have come, also after a request for them that failed', async () => {
    const { page } = await visit({ path: '/alerts' });
    const older = page.getByRole('button', { name: 'Older alerts' });
    await page.route('**/api/alerts/page?*', (route) => route.abort(), { times: 1 });
    await older.click();
    await page.getByRole('alert').getByText('The bot could not be reached').waitFor();
    await older.click();
    await older.waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('shows a banner while the bot is gone', async () => {
    const { page, url, close } = await visit();
    await page.locator('.markets').waitFor();
    await close();
    await page.getByRole('alert').getByText('The bot does not answer').waitFor();
    await start({ port: Number(new URL(url).port) });
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('hatches figures that are out of date', async () => {
    const seen = { price: { at: marketNow - hour, every: 2 * minute } };
    const { page } = await visit({ read: () => ({ ...someBoard(), seen }) });
    const tile = page.locator('.markets-column .tile.old');
    await tile.waitFor();
    expect(await tile.locator('.as-of').first().textContent()).toMatch(/^as of \d\d:\d\d/);
  });

  it('uses one stream for several tabs: one listens for all, and another takes over when it is closed', async () => {
    const { page: first, url, patch } = await visit();
    const context = first.context();
    const streams: string[] = [];
    context.on('request', (request) => {
      if (request.url().includes('/api/events')) streams.push(request.url());
    });
    const second = await context.newPage();
    await second.goto(url);
    const btc = (page: Page) =>
      page.getByRole('row').filter({ has: page.getByRole('link', { name: 'BTC', exact: true }) });
    await btc(second).getByText('61,204.50').waitFor();
    // The first tab has opened a new stream, which includes what the second shows; the second tab has none.
    expect(streams).toHaveLength(1);
    await first.close();
    await expect.poll(() => streams.length).toBe(2);
    await second.locator('.connection[data-state=open]').waitFor({ state: 'attached' });
    patch({
      'market/BTCUSDT': { symbol: 'BTCUSDT', price: 62_000, longsLiquidated: 0, shortsLiquidated: 0 },
    });
    await btc(second).getByText('62,000.00').waitFor();
  });

  // English is checked at every width, the other languages at those where long words have the least and the most room.
  it.each([
    ['en-US', 'dark', [320, 390, 768, 1440, 2560]],
    ['es-ES', 'light', [320, 1440]],
    ['zh-CN', 'dark', [320, 1440]],
    // Its menu is wider than a phone: each view is chosen at the last width.
    ['ru-RU', 'light', [768, 320]],
  ] as const)(
    'in %s, %s: nothing is scrolled sideways, clipped or broken at any width, and axe finds nothing',
    async (locale, colorScheme, widths) => {
      const { board, feed } = live();
      const shown = { board, feed, connecting: someConnecting };
      const { page } = await open('/', shown, { locale, colorScheme, bypassCSP: true });
      for (const [at, view] of ['now', 'alerts', 'chat', 'rules', 'record', 'health', 'connect'].entries()) {
        await page.keyboard.press('Escape');
        await page.locator('nav a').nth(at).click();
        if (view === 'connect') await page.getByRole('link', { name: /^Discord/ }).click();
        // The view is measured once its data has loaded.
        await page.locator('.empty.waiting').waitFor({ state: 'detached' });
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 });
          expect([view, width, await faults(page)]).toEqual([view, width, []]);
        }
        // What axe finds depends on the theme and the structure, so it runs once for each theme.
        if (locale === 'zh-CN' || locale === 'ru-RU') continue;
        expect([view, await violationsOf(page)]).toEqual([view, []]);
      }
    },
  );

  it('transfers less than 120 KB, asks no other host, and writes nothing to the console', async () => {
    const { page: seen, url } = await visit();
    const sizes = (await seen.evaluate(`performance.getEntriesByType('navigation')
      .concat(performance.getEntriesByType('resource'))
      .map(({ name, encodedBodySize }) => [name, encodedBodySize])`)) as [string, number][];
    expect(sizes.length).toBeGreaterThan(2);
    expect(sizes.filter(([name]) => !name.startsWith(url))).toEqual([]);
    expect(sizes.reduce((sum, [, size]) => sum + size, 0)).toBeLessThan(120 * 1_024);
    const fonts = `Promise.all([...document.fonts].map((face) => face.loaded.then(() => face.family + face.weight)))`;
    expect(await seen.evaluate(fonts)).toEqual(['Inter400', 'Inter600']);
    expect(seen.wrong).toEqual([]);
  });
});
