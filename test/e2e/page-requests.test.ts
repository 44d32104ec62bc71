import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { second } from '#src/runtime/units.ts';
import { startService } from '#src/service/run/service.ts';
import type { BotStatus } from '#src/shell/command.ts';
import { inBrowser } from '#test/support/browser.ts';
import { configured } from '#test/support/settings.ts';
import { startBot } from '#test/support/start-bot.ts';

/** The market almost stands still, so that nothing becomes due and every request is on behalf of a page. */
const speed = 0.001;
const log = pino({ level: 'silent' });

/** Starts a data service of the simulated market and records its requests, except those for its own state, `/meta`. */
async function startCounted() {
  const service = await startService({
    market: { kind: 'simulated', seed: 7, symbols: 30 },
    ...{ speed, symbols: 2, log, archiveUrl: 'file::memory:', host: '127.0.0.1', port: 0 },
  });
  onTestFinished(() => service.close());
  await service.ready;
  const asked: string[] = [];
  let lastAt = 0;
  const { origin } = new URL(service.url);
  const counter = createServer((incoming, response) => {
    const path = String(incoming.url);
    if (!path.endsWith('/meta')) {
      asked.push(path);
      lastAt = performance.now();
    }
    const { method, headers } = incoming;
    const passed = request(`${origin}${path}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.once('error', () => response.destroy());
    incoming.pipe(passed);
  }).listen(0, '127.0.0.1');
  await once(counter, 'listening');
  onTestFinished(() => void counter.close().closeAllConnections());
  const { port } = counter.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/api/v1`,
    asked,
    /** Returns the ms since the last request. */
    quietFor: () => performance.now() - lastAt,
  };
}

async function startBotOver(url: string) {
  const config = configured({
    TOCSIN_API_URL: url,
    TOCSIN_DATABASE_URL: 'file::memory:',
    TOCSIN_HTTP_PORT: '0',
  });
  const bot = await startBot({ config });
  onTestFinished(() => bot.close());
  return String(bot.url);
}

const open = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name }).click();

inBrowser('pages over a bot and a data service', ({ look }) => {
  it('three of them cause no request to the data service, and one for all where a view needs one', async () => {
    const { url, asked, quietFor } = await startCounted();
    const bot = await startBotOver(url);
    // The requests of the start must be over first; among them the board asks for each market, two a second.
    const filled = () => asked.filter((path) => path.includes('/candles')).length > 2;
    const looked = async () => {
      const { detectors } = (await (await fetch(`${bot}/api/status`)).json()) as BotStatus;
      return detectors.every(({ lastRun, problem }) => lastRun !== null || problem !== null);
    };
    const over = async () => filled() && quietFor() > 8 * second && looked();
    await expect.poll(over, { interval: 200 }).toBe(true);
    const before = asked.length;

    const pages = await Promise.all(Array.from({ length: 3 }, () => look(bot)));
    for (const page of pages) {
      await page.locator('table.markets tbody td.price').nth(1).getByText(/\d/).waitFor();
      for (const name of ['Alerts', 'Chat', 'Record', 'Now']) await open(page, name);
    }
    expect(asked.slice(before)).toEqual([]);

    // What a view needs is asked for once, however many pages show it.
    const lookAtHealth = async (page: Page) => {
      await open(page, 'Health');
      await page.getByRole('region', { name: 'Checks against the exchange' }).waitFor();
    };
    await Promise.all(pages.map(lookAtHealth));
    expect(asked.slice(before)).toEqual([expect.stringContaining('/data/checks')]);
  });
});
