import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { day, hour } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { ownFolder } from '#test/support/folder.ts';
import { startHosted } from '#test/support/hosted.ts';
import { jsonRequest } from '#test/support/json-request.ts';
import { patience } from '#test/support/patience.ts';
import { configured } from '#test/support/settings.ts';
import { startBot } from '#test/support/start-bot.ts';

it('a process shows the record of alerts although another one watches the market and records prices', async () => {
  const hosted = await startHosted(1);
  onTestFinished(() => hosted.shut());
  const file = join(await ownFolder(), 'bot.db');
  const config = configured({
    TOCSIN_API_URL: hosted.url,
    TOCSIN_DATABASE_URL: `file:${file}`,
    TOCSIN_HTTP_PORT: '0',
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

  const bot = await startBot({ config });
  onTestFinished(() => bot.close());
  const scorecard = async () => {
    const asked = jsonRequest('POST', { line: 'scorecard funding-extreme' });
    const answer = await fetch(`${bot.url}/api/commands`, asked);
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
