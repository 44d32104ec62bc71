import { expect, it } from 'vitest';
import type { AlertFeed } from '#src/platforms/web/ports/alert-feed.ts';
import { hour } from '#src/runtime/units.ts';
import { alertRow, someBoard } from '#test/support/board.ts';
import { inBrowser } from '#test/support/browser.ts';
import { marketNow, noAlerts } from '#test/support/console.ts';

const rows = [
  alertRow('a1', { kind: 'pump', symbol: 'SOLUSDT', title: 'SOL +5.20% in 5 min' }),
  alertRow('a2', { kind: 'funding-extreme', symbol: 'ETHUSDT', title: 'ETH funding is extreme' }),
  alertRow('a3', { endsAt: marketNow - hour, title: 'An alert that has ended' }),
];
const feed: AlertFeed = { ...noAlerts, page: async () => rows, changed: async () => [] };

inBrowser('an alert asks for attention until somebody has taken note of it', ({ start, look, open }) => {
  it('an acknowledged alert is not counted any more, in this browser and after a reload; once more: it is', async () => {
    const { page } = await open('/alerts', { feed });
    await expect.poll(() => page.title()).toBe('(2) Tocsin');
    expect(await page.getByRole('button', { name: /^Acknowledge: An alert/ }).count()).toBe(0);
    const acknowledge = page.getByRole('button', { name: 'Acknowledge: SOL +5.20% in 5 min' });
    await acknowledge.click();
    await expect.poll(() => page.title()).toBe('(1) Tocsin');
    await page.reload();
    await expect.poll(() => page.title()).toBe('(1) Tocsin');
    await acknowledge.click();
    await expect.poll(() => page.title()).toBe('(2) Tocsin');
    expect(page.wrong).toEqual([]);
  });

  it('snoozing silences the kind about the market, as the command does, says so, and is taken back', async () => {
    const asked: string[] = [];
    const { page } = await open('/alerts', {
      feed,
      async ask(request) {
        asked.push(String(request));
        return String(request).startsWith('silence')
          ? { title: 'Silenced', actions: [{ label: 'Undo', command: 'unsilence s1' }] }
          : { title: 'Ended' };
      },
    });
    await page.getByLabel('Snooze: SOL +5.20% in 5 min').click();
    await page.getByRole('button', { name: 'Snooze 4 h: SOL +5.20% in 5 min' }).click();
    const outcome = page.locator('.snooze-outcome');
    await outcome.getByText('Silenced').waitFor();
    await expect.poll(() => page.title()).toBe('(1) Tocsin');
    await outcome.getByRole('button', { name: 'Undo' }).click();
    await outcome.getByText('Ended').waitFor();
    expect(asked).toEqual(['silence pump SOLUSDT for=4h', 'unsilence s1']);
    expect(page.wrong).toEqual([]);
  });

  it('a refused snooze is said and changes nothing', async () => {
    const { page } = await open('/alerts', {
      feed,
      ask: async () => ({ title: 'Not allowed here', failure: { code: 'forbidden' } }),
    });
    await page.getByLabel('Snooze: SOL +5.20% in 5 min').click();
    await page.getByRole('button', { name: 'Snooze 1 h: SOL +5.20% in 5 min' }).click();
    await page.locator('.snooze-outcome').getByText('Not allowed here').waitFor();
    expect(await page.title()).toBe('(2) Tocsin');
  });

  it('the first words cover nothing: what they say stands above the view', async () => {
    const { url } = await start({ feed, board: { read: someBoard, onPatch: () => {} } });
    for (const size of [
      { width: 320, height: 640 },
      { width: 1_440, height: 900 },
    ]) {
      const page = await look(url, { viewport: size });
      const said = await page.getByRole('complementary').boundingBox();
      const view = await page.locator('main').boundingBox();
      expect((said?.y ?? 0) + (said?.height ?? 0)).toBeLessThanOrEqual(view?.y ?? 0);
      expect(view?.height).toBeGreaterThan(size.height / 3);
      await page.goto(`${url}/alerts`);
      await page.getByLabel('Snooze: SOL +5.20% in 5 min').click();
    }
  });
});
