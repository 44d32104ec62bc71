import { expect, onTestFinished, test } from 'vitest';
import discordPlatform from '#src/platforms/discord/platform.ts';
import telegramPlatform from '#src/platforms/telegram/platform.ts';
import { startDiscord } from '#test/support/discord/discord.ts';
import { type Fault as DiscordFault, limited, refused } from '#test/support/discord/faults.ts';
import { saidProblem } from '#test/support/said-problem.ts';
import { startTelegramDouble } from '#test/support/telegram/double.ts';
import type { Fault as TelegramFault } from '#test/support/telegram/faults.ts';

/** Short enough to wait for it, and long enough for a busy machine to connect in half of it. */
const soon = '1s';

interface Row<Fault> {
  readonly what: string;
  readonly fault: Fault;
  readonly says: RegExp;
  readonly timeout?: string;
}

const discordRows: readonly Row<DiscordFault>[] = [
  {
    what: 'blocks the address',
    fault: { answer: { status: 403, body: 'error code: 1010' } },
    says: /answered 403: is DISCORD_A/,
  },
  {
    what: 'limits requests',
    fault: { answer: limited(1) },
    says: /answered 429: is DISCORD_API_URL right\? If it is, try again/,
  },
  {
    what: 'fails',
    fault: { answer: refused(503, 0, 'Service Unavailable') },
    says: /answered 503: is DISCORD_API_URL right/,
  },
  {
    what: 'is a web page',
    fault: { answer: { status: 200, body: '<html></html>' } },
    says: /answered 200: is DISCORD_API_URL/,
  },
  {
    what: 'is another API',
    fault: { answer: { status: 200, body: { ok: true } } },
    says: /answered 200: is DISCORD_API_URL/,
  },
  { what: 'breaks off', fault: { reset: 'before' }, says: /gives no answer: is the URL right/ },
  {
    what: 'does not answer',
    fault: { hang: 'before' },
    says: /gives no answer: is the URL right/,
    timeout: soon,
  },
];

test.each(discordRows)(
  'a check of a token says that Discord $what',
  async ({ fault, says, timeout = '15s' }) => {
    const discord = await startDiscord();
    onTestFinished(discord.close);
    discord.inject(fault);
    const { token, url: apiUrl, requests } = discord;
    const options = discordPlatform.options.parse({ token, apiUrl, timeout });
    const problem = await saidProblem(discordPlatform, options);
    expect(problem).toMatch(says);
    expect(problem).not.toContain(token);
    expect(requests).toHaveLength(1);
  },
);

const answer = (code: number, description: string): TelegramFault => ({
  how: { answer: { code, description } },
});
const telegramRows: readonly Row<TelegramFault>[] = [
  {
    what: 'knows no such token',
    fault: answer(404, 'Not Found'),
    says: /^Telegram does not accept TELEGRAM_TOKEN/,
  },
  {
    what: 'knows no such method',
    fault: answer(404, 'Not Found: method not found'),
    says: /answered 404: is TELEGRAM_API_URL/,
  },
  {
    what: 'limits requests',
    fault: answer(429, 'Too Many Requests: retry after 5'),
    says: /answered 429: .*, try again later$/,
  },
  {
    what: 'is behind a proxy that fails',
    fault: { how: 'html page' },
    says: /answered 502: is TELEGRAM_API_URL right/,
  },
  {
    what: 'is another API',
    fault: { how: 'garbage result' },
    says: /answered 200: is TELEGRAM_API_URL right/,
  },
  { what: 'breaks off', fault: { how: 'reset before' }, says: /gives no answer: is the URL right/ },
  {
    what: 'does not answer',
    fault: { how: 'hang' },
    says: /gives no answer: is the URL right/,
    timeout: soon,
  },
];

test.each(telegramRows)(
  'a check of a token says that Telegram $what',
  async ({ fault, says, timeout = '15s' }) => {
    const telegram = await startTelegramDouble();
    onTestFinished(telegram.close);
    telegram.inject(fault);
    const { token, url: apiRoot, calls } = telegram;
    const options = telegramPlatform.options.parse({ token, apiRoot, timeout });
    const problem = await saidProblem(telegramPlatform, options);
    expect(problem).toMatch(says);
    expect(problem).not.toContain(token);
    expect(calls).toHaveLength(1);
  },
);
