import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readConfig } from '#src/app/config/config.ts';
import type { Detector } from '#src/detectors/detector.ts';
import type { Platform } from '#src/platforms/platform.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { loadPluginFolders, loadPlugins } from '#src/runtime/plugins.ts';
import { day, hour } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { commands } from '#test/support/commands.ts';
import { startHosted } from '#test/support/hosted.ts';
import { patience } from '#test/support/patience.ts';
import { startBot } from '#test/support/start-bot.ts';

const src = (name: string) => join(import.meta.dirname, '../../src', name);

it('a process shows the record of alerts although another one watches the market and records prices', async () => {
  const hosted = await startHosted(1);
  onTestFinished(() => hosted.shut());
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-standby-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'bot.db');
  const config = readConfig({
    defaults: readFileSync(src('../config/default.yaml'), 'utf8'),
    env: { TOCSIN_API_URL: hosted.url, TOCSIN_DATABASE_URL: `file:${file}`, TOCSIN_HTTP_PORT: '0' },
    detectors: await loadPlugins<Detector>(src('detectors'), 'detector.ts'),
    platforms: await loadPluginFolders<Platform>(src('platforms'), 'platform.ts'),
  });
  const { marketTime } = (await (await fetch(`${hosted.url}/meta`)).json()) as { marketTime: string };
  const now = Math.floor(Date.parse(marketTime) / hour) * hour;

  // Another process, elsewhere, has recorded the prices after 25 alerts, and goes on watching.
  const store = await openStore(`file:${file}`);
  expect(await store.leases.take('watch', { owner: 'elsewhere 1', ttl: day })).not.toBeNull();
  await store.outcomes.addPrices(
    hosted.url,
    Array.from({ length: 40 * 24 }, (_, index) => ({
      symbol: 'BTCUSDT',
      at: now - index * hour,
      price: 100 + (index % 2),
    })),
  );
  await store.close();
  const database = new DatabaseSync(file);
  const insert = database.prepare(
    "insert into outcome values (?, ?, 'funding-extreme', 'BTCUSDT', 'up', ?, null, 100, 101, 101, 101, 0, 1)",
  );
  for (let index = 2; index < 27; index += 1)
    insert.run(`alert ${index}`, hosted.url, now - (index % 15) * day - index * hour);
  database.close();

  const bot = await startBot({
    ...{ config, commands, random: () => 0, wall: wallClock, log: pino({ level: 'silent' }) },
    terminal: { columns: 100, color: false, timeZone: 'UTC', write: async () => {} },
  });
  onTestFinished(() => bot.close());
  const scorecard = async () => {
    const answer = await fetch(`${bot.url}/api/commands`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ line: 'scorecard funding-extreme' }),
    });
    const { card } = (await answer.json()) as {
      readonly card: { readonly table?: { readonly rows: readonly (readonly string[])[] } };
    };
    return card.table?.rows.map(([after, alerts]) => [after, alerts]);
  };
  await vi.waitFor(
    async () =>
      expect(await scorecard()).toEqual([
        ['1 h', '25'],
        ['4 h', '25'],
        ['1 d', '25'],
      ]),
    { timeout: patience, interval: 100 },
  );
});
