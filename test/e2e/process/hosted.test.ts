import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runHere } from '#test/support/command-line.ts';
import { ownFolder } from '#test/support/folder.ts';
import { mcpClient } from '#test/support/mcp.ts';
import { discordPeople, picturesOf, telegramPeople } from './asking.ts';
import { startBotProcess } from './bot.ts';
import { runScript } from './program.ts';

it('npm start uses the data service of npm run serve with its own key, and agents can ask both', async () => {
  await using started = new AsyncDisposableStack();
  const folder = await ownFolder();
  await writeFile(join(folder, 'config.yaml'), 'serve: { mcp: true, limits: { key: 1000000 } }\n');
  const environment = {
    TOCSIN_CONFIG: join(folder, 'config.yaml'),
    TOCSIN_ARCHIVE_URL: `file:${join(folder, 'archive.db')}`,
  };
  const { out } = await runHere(folder, ['serve', 'key', 'create', 'a-bot'], environment);
  const [key = 'none was made'] = /tocsin_[\w-]+/.exec(out) ?? [];
  const words = ['--port', '0', '--symbols', '1', '--speed', '1'];
  const service = started.use(runScript('serve', { environment, words }));
  const [, url = ''] = await service.says(/The data service is on (\S+)/);
  await service.says(/It is ready/);

  const bot = started.use(await startBotProcess({ hosted: { url, key }, config: { http: { mcp: true } } }));
  const answered = await discordPeople(bot).slash({ path: ['funding'], options: [] }, { symbol: 'BTCUSDT' });
  expect(JSON.stringify(answered.message)).toContain('BTC');
  expect(picturesOf.discord(answered)).toHaveLength(1);
  expect(picturesOf.telegram(bot, await telegramPeople(bot).say('/funding BTCUSDT'))).toHaveLength(1);

  const [, page] = await bot.program.says(/Tocsin is on (\S+)/);
  const asked = { [`${page}/mcp`]: 'coin', [`${new URL(url).origin}/mcp`]: 'intelligence' };
  for (const [server, name] of Object.entries(asked)) {
    await using agent = await mcpClient(server);
    const told = await agent.callTool({ name, arguments: { symbol: 'BTCUSDT' } });
    expect(told).toMatchObject({ structuredContent: expect.anything() });
    expect(JSON.stringify(told.structuredContent)).toContain('BTC');
  }
  expect(bot.defects()).toEqual([]);
  expect(bot.program.written() + service.written()).not.toContain(key);
});
