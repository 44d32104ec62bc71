import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createAnswering } from '#src/app/answer-commands.ts';
import { minute } from '#src/runtime/units.ts';
import type { Caller } from '#src/shell/command.ts';
import { memberRights } from '#src/shell/rights.ts';
import { addresses } from '#test/support/addresses.ts';
import { noConnecting } from '#test/support/console.ts';
import { clientOf, json, serve, testWall } from '../client/service.ts';
import { commandContext } from '../support/commands.ts';
import { answers, universe } from '../support/data.ts';

const caller = (person: string, chatId: string): Caller => ({
  receiver: { notifier: 'telegram', address: { chatId } },
  user: person,
  person: `telegram:${person}`,
  rights: memberRights,
  language: 'en',
  timeZone: 'UTC',
});

test('a user who asks without end in many chats is refused, while detectors and others get answers', async () => {
  const { baseUrl } = await serve(json(answers.fundingHistory));
  const wall = testWall();
  const client = clientOf(baseUrl, {
    wall,
    budget: { limit: 300, reserve: 60, window: 15 * minute },
    timeouts: { attempt: 9_999, patience: 0 },
  });
  const { preview, records, settings, source, status, store, commands, kinds } = commandContext();
  const { ask } = createAnswering({
    client,
    preview,
    records,
    source,
    status,
    store,
    commands,
    kinds,
    settings,
    operators: () => [],
    outlets: [],
    universe: () => universe,
    listed: () => universe,
    marketKinds: () => ({}),
    addresses,
    connecting: () => noConnecting,
    platforms: [],
    now: wall.now,
    wall,
    log: pino({ level: 'silent' }),
  });
  const refusals: string[] = [];
  for (let asked = 0; asked < 90; asked += 1) {
    const line = `funding ${universe[asked % universe.length]} ${1 + asked}`;
    const { summary = '' } = await ask(line, caller('eve', `-${asked % 9}`));
    if (summary.includes('asked a lot')) refusals.push(summary);
  }
  expect(refusals.at(-1)).toMatch(/asked a lot just now\.\nTry again in 15 min\.$/);
  expect((await ask('funding btc 33', caller('bob', '-1'))).title).toContain('funding: ');
  for (let polled = 0; polled < 240; polled += 1) {
    await client.polls.fundingHistory({ symbol: `C${polled}USDT` });
  }
});
