import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { AlertFeed, AlertRow } from '#src/platforms/web/ports/alert-feed.ts';
import { hearAnnouncements } from '#test/support/announcements.ts';
import { alertRow, someBoard } from '#test/support/board.ts';
import { inBrowser } from '#test/support/browser.ts';
import { alertCard, marketNow, noAlerts, noConnecting, waveSeries } from '#test/support/console.ts';
import { readEvents } from '#test/support/events.ts';
import { faults } from '#test/support/faults.ts';
import { show, views } from '#test/support/views.ts';

const row = (id: string, given: Partial<AlertRow> = {}) =>
  alertRow(id, { title: `SOL +5.20% in 5 min (${id})`, startsAt: marketNow, updatedAt: marketNow, ...given });

/** Returns a feed with one firing alert; `fire` adds another one. */
function alerts() {
  let all = [row('first')];
  const feed: AlertFeed = { ...noAlerts, page: async () => all, changed: async () => all };
  return {
    feed,
    fire: (next: AlertRow) => {
      all = [...all, next];
    },
  };
}

/** Script that records sounds and notifications instead of playing and showing them. */
const listening = `
  globalThis.rung = 0;
  globalThis.notified = [];
  globalThis.permissions = 0;
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...given) {
    globalThis.rung += 1;
    return start.apply(this, given);
  };
  globalThis.Notification = class {
    static permission = 'default';
    static requestPermission = async () => {
      globalThis.permissions += 1;
      return (globalThis.Notification.permission = 'granted');
    };
    constructor(title) {
      globalThis.notified.push(title);
    }
  };
`;
const heard = (page: Page) =>
  page.evaluate('({ rung, notified, permissions })') as Promise<{
    rung: number;
    notified: string[];
    permissions: number;
  }>;

inBrowser('a page that one lives with', ({ start, look, open }) => {
  it('rings and notifies of new alerts only once that is switched on, and remembers it in this browser', async () => {
    const { feed, fire } = alerts();
    const { page } = await open('/alerts', { feed });
    await page.addInitScript(listening);
    await page.reload();
    const shown = (id: string) => page.locator('.alert-line', { hasText: `(${id})` }).waitFor();
    const said = (id: string) =>
      page.locator('p[aria-live]', { hasText: `(${id})` }).waitFor({ state: 'attached' });
    await shown('first');
    fire(row('second'));
    await said('second');
    expect(await heard(page)).toEqual({ rung: 0, notified: [], permissions: 0 });

    await page.getByLabel('sound').check();
    await page.getByLabel('notify').check();
    await page.getByLabel('notify').and(page.locator(':checked')).waitFor();
    const { rung, permissions } = await heard(page);
    expect([rung > 0, permissions]).toEqual([true, 1]);
    // The page is hidden, so notifications are shown.
    await page.evaluate(`Object.defineProperty(document, 'hidden', { get: () => true })`);
    fire(row('third', { severity: 'critical' }));
    await said('third');
    await expect.poll(async () => (await heard(page)).notified).toEqual([row('third').title]);
    expect((await heard(page)).rung).toBeGreaterThan(rung);

    await page.reload();
    expect(await page.getByLabel('sound').isChecked()).toBe(true);
    await page.getByLabel('sound').uncheck();
    await page.reload();
    expect(await page.getByLabel('sound').isChecked()).toBe(false);
    expect(page.wrong).toEqual([]);
  });

  it('announces no alert that was firing before the page was loaded, however long that takes', async () => {
    const { feed, fire } = alerts();
    const reading = Promise.withResolvers<void>();
    let isSlow = false;
    const { page } = await open('/alerts', {
      feed: {
        ...feed,
        page: async (...asked) => {
          if (isSlow) await reading.promise;
          return feed.page(...asked);
        },
      },
    });
    await page.clock.install();
    isSlow = true;
    await page.reload();
    const said = await hearAnnouncements(page);
    await page.clock.runFor(5_000);
    reading.resolve();
    await page.locator('.alert-line', { hasText: '(first)' }).waitFor();
    await page.clock.runFor(5_000);
    fire(row('second'));
    await page.locator('p[aria-live]', { hasText: '(second)' }).waitFor({ state: 'attached' });
    expect(await said()).toEqual([row('second').title]);
    expect(page.wrong).toEqual([]);
  });

  it('ten open pages ask nothing of the data service, whatever view they show', async () => {
    const { feed } = alerts();
    const asked: string[] = [];
    // The console reaches the data service only through these two functions.
    const { page, url } = await open('/', {
      feed,
      ask: async (line) => {
        asked.push(String(line));
        return { title: 'never' };
      },
      series: async (of, caller) => {
        asked.push(of.metric);
        return waveSeries(of, caller);
      },
    });
    for (let n = 1; n < 10; n += 1) await readEvents(`${url}/api/events?room=page-${n}`);
    for (const view of ['Alerts', 'Health', 'Chat', 'Now'])
      await page.locator('nav').getByRole('link', { name: view }).click();
    await page.goto(`${url}/alerts/first`);
    expect(asked).toEqual([]);
  });

  it('a bot that is slow to answer a view is not asked again meanwhile', async () => {
    const slow = Promise.withResolvers<readonly []>();
    const { page } = await open('/chat', { connecting: { ...noConnecting, list: () => slow.promise } });
    let asked = 0;
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/api/connecting') asked += 1;
    });
    await page.clock.install();
    await page.getByRole('link', { name: 'Connect' }).click();
    await page.locator('.empty.waiting').waitFor();
    await page.clock.runFor(6_000);
    expect(asked).toBe(1);
    slow.resolve([]);
    await page.getByRole('navigation', { name: 'Platforms' }).waitFor({ state: 'attached' });
    await page.clock.runFor(2_000);
    await expect.poll(() => asked).toBeGreaterThan(1);
  });

  it('Tab reaches every control of every view once, and leaves the last', async () => {
    const { feed } = alerts();
    const { url, post } = await start({ feed, board: { read: someBoard, onPatch: () => {} } });
    await post(alertCard);
    const page = await look(url);
    for (const view of views) {
      await show(page, { url, view });
      // The button can be pressed once the rule, with the level that the past suggests, has been checked.
      if (view === 'rules') {
        await page.getByRole('slider', { name: 'Level' }).waitFor();
        await page.locator('.save .primary:enabled').waitFor();
      }
      // The focus starts at the top, also in a view that focuses a line of its own.
      await page.evaluate(`(() => {
        document.body.tabIndex = -1;
        document.body.focus();
        globalThis.reached = [];
        globalThis.controls = [...document.querySelectorAll('a[href], button, input, select, textarea, summary')];
      })()`);
      const step = async () => {
        await page.keyboard.press('Tab');
        return page.evaluate(`(() => {
          const now = document.activeElement;
          if (now === null || now === document.body) return 'left';
          if (reached.includes(now)) return reached.at(-1) === now ? 'held by ' + now.outerHTML : 'round';
          reached.push(now);
          return 'on';
        })()`);
      };
      let at: unknown = 'on';
      while (at === 'on') at = await step();
      expect([view, at]).toEqual([view, expect.stringMatching(/^(left|round)$/)]);
      const missed = await page.evaluate(`controls
        .filter((each) => each.checkVisibility() && !each.disabled && each.tabIndex >= 0 && !reached.includes(each))
        .filter((each) => each.type !== 'radio' || each.checked)
        .map((each) => each.outerHTML.slice(0, 200))`);
      expect([view, missed]).toEqual([view, []]);
    }
  });

  it('nothing moves for a person who prefers reduced motion', async () => {
    const moved = async (reducedMotion: 'reduce' | 'no-preference') => {
      const { page, post } = await open('/chat', {}, { reducedMotion });
      await page.evaluate(`
        globalThis.moved = [];
        for (const kind of ['animationstart', 'transitionrun'])
          document.addEventListener(kind, ({ target }) => globalThis.moved.push(target.className));
      `);
      await post(alertCard);
      await page.locator('.card .plot svg:has(path)').waitFor();
      await post({ ...alertCard, status: 'resolved' }, { edited: true });
      await page.locator('.card[data-status=resolved]').waitFor();
      // After two frames every animation has begun.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      return page.evaluate('globalThis.moved.length') as Promise<number>;
    };
    expect(await moved('reduce')).toBe(0);
    expect(await moved('no-preference')).toBeGreaterThan(0);
  });

  it.each([
    ['at 200 %', { deviceScaleFactor: 2 }],
    ['at 200 % in forced colours', { deviceScaleFactor: 2, forcedColors: 'active' }],
  ] as const)(
    '%s nothing is clipped, broken or scrolled sideways, and charts have their colours',
    async (_, given) => {
      const { feed } = alerts();
      const { url, post } = await start({ feed });
      // Half the size of a window of 1440 × 900.
      const page = await look(url, { viewport: { width: 720, height: 450 }, ...given });
      await post(alertCard);
      for (const view of ['Now', 'Alerts', 'Health', 'Chat']) {
        await page.getByRole('link', { name: view }).click();
        expect([view, await faults(page)]).toEqual([view, []]);
      }
      await page.locator('.card .plot svg:has(path)').waitFor();
      const colours = await page.evaluate(`(() => {
      const swatch = getComputedStyle(document.querySelector('.legend .swatch > *')).fill;
      const drawn = [...document.querySelectorAll('.card .plot path')].flatMap((path) => {
        const { fill, stroke } = getComputedStyle(path);
        return [fill, stroke];
      });
      return [swatch, drawn.includes(swatch)];
    })()`);
      expect(colours).toEqual([expect.stringMatching(/^rgb/), true]);
      expect(page.wrong).toEqual([]);
    },
  );
});
