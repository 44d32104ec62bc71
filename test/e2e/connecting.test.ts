import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startApprise } from '#test/support/apprise.ts';
import { jsonRequest } from '#test/support/json-request.ts';
import { newcomer } from '#test/support/newcomer.ts';
import { startNtfy } from '#test/support/ntfy.ts';
import { startSlack } from '#test/support/slack.ts';
import { startSmtp } from '#test/support/smtp.ts';

/** A bot that nothing is connected to, asked as its page asks. */
async function asked(env: Readonly<Record<string, string>> = {}) {
  const bot = await newcomer(env);
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${bot.url}/api/${path}`, init);
    return { status: answer.status, body: await answer.json(), text: '' };
  };
  return {
    ...bot,
    ask,
    connect: (name: string, options: object) => ask(`connecting/${name}`, jsonRequest('PUT', { options })),
    sample: (name: string, place: unknown) =>
      ask(`connecting/${name}/sample`, jsonRequest('POST', { place })),
    say: async (line: string) =>
      (await ask('commands', jsonRequest('POST', { line, room: 'main' }))).body as {
        line: string;
        card: { title: string; summary?: string; table?: { rows: string[][] } };
      },
    kept: () => readFile(join(bot.home, 'tocsin.db.connections'), 'utf8').catch(() => '{}'),
  };
}

const secrets = {
  slack: 'xoxb-0123456789-abcdefghijkl',
  email: 'correct-horse-battery',
  ntfy: 'tk_0123456789abcdefghijklm',
  apprise: 'another-long-password',
};

it.each([
  [
    'slack',
    async () => {
      const double = await startSlack({ token: secrets.slack });
      double.channel('C0123456789');
      return {
        double,
        env: { SLACK_API_URL: double.url },
        options: { token: secrets.slack },
        wrong: { token: 'xoxb-0000000000-abcdefghijkl' },
        place: 'slack:C0123456789',
        arrived: () => double.messages,
      };
    },
  ],
  [
    'email',
    async () => {
      const double = await startSmtp({ mailboxes: ['ada@example.org'], password: secrets.email });
      const server = { host: '127.0.0.1', port: String(double.port), tls: 'never', user: 'tocsin' };
      const from = 'Tocsin <alerts@example.org>';
      return {
        double,
        env: {},
        options: { ...server, from, password: secrets.email },
        wrong: { ...server, from, password: 'wrong-horse-battery' },
        place: 'mailto:ada@example.org',
        arrived: () => double.mails,
      };
    },
  ],
  [
    'ntfy',
    async () => {
      const double = await startNtfy({ token: secrets.ntfy });
      return {
        double,
        env: {},
        options: { url: double.url, token: secrets.ntfy },
        wrong: { url: double.url, token: 'tk_wrong456789abcdefghijklm' },
        place: 'ntfy:a-topic-nobody-guesses',
        arrived: () => double.log,
      };
    },
  ],
  [
    'apprise',
    async () => {
      const double = await startApprise({
        user: 'tocsin',
        password: secrets.apprise,
        services: { mine: ['all'] },
      });
      return {
        double,
        env: {},
        options: { url: double.url, user: 'tocsin', password: secrets.apprise },
        wrong: { url: double.url, user: 'tocsin', password: 'a-wrong-long-password' },
        place: 'apprise:mine',
        arrived: () => double.told,
      };
    },
  ],
] as const)(
  '%s is asked about what is given, which is kept only if it is accepted, and gets a sample',
  async (name, start) => {
    const { double, env, options, wrong, place, arrived } = await start();
    onTestFinished(() => double.close());
    const bot = await asked(env);
    expect(await bot.sample(name, place)).toMatchObject({ status: 409 });
    expect((await bot.connect(name, { url: 'nowhere' })).status).toBe(400);
    const refused = await bot.connect(name, wrong);
    expect([refused.status, await bot.kept()]).toEqual([409, '{}']);
    expect(await bot.connect(name, options)).toMatchObject({ status: 200, body: { name, source: 'here' } });
    expect(await bot.sample(name, 'nowhere at all')).toMatchObject({ status: 400 });
    expect(await bot.sample(name, place)).toMatchObject({ status: 200 });
    expect(arrived()).toHaveLength(1);
    expect(await bot.kept()).toContain(secrets[name]);
    const told = [JSON.stringify(await bot.ask('connecting')), JSON.stringify(refused), ...bot.written];
    expect(told.filter((text) => text.includes(secrets[name]))).toEqual([]);
    expect(await bot.ask(`connecting/${name}`, { method: 'DELETE' })).toMatchObject({
      body: { source: null },
    });
    expect([await bot.kept(), (await bot.sample(name, place)).status]).toEqual(['{}', 409]);
  },
);

it('a platform that the environment sets up is shown as such, and is changed there alone', async () => {
  const slack = await startSlack({ token: secrets.slack });
  onTestFinished(slack.close);
  const bot = await asked({ SLACK_TOKEN: secrets.slack, SLACK_API_URL: slack.url });
  const states = (await bot.ask('connecting')).body as { name: string; source: string }[];
  expect(states.find(({ name }) => name === 'slack')?.source).toBe('configuration');
  const refused = await bot.connect('slack', { token: 'xoxb-0000000000-abcdefghijkl' });
  expect(refused).toMatchObject({ status: 409, body: { error: expect.stringMatching(/change it there/) } });
  expect(await bot.connect('carrier-pigeon', {})).toMatchObject({ status: 404 });
});

it('the command connects too, and a token in a line is kept nowhere but with the connections', async () => {
  const bot = await asked();
  const { token } = bot.telegram;
  expect((await bot.say('connect')).card.table?.rows).toContainEqual(['Telegram', 'Not connected']);
  expect((await bot.say('connect telegram')).card.summary).toContain('/newbot');
  const wrong = token.replace('AAH', 'BBH');
  const refused = await bot.say(`connect telegram ${wrong}`);
  expect(refused.card.summary).toBe('Telegram does not accept this: copy it again, and all of it.');
  const said = await bot.say(`connect telegram token=${token}`);
  expect([refused.line, said.line]).toEqual(['connect telegram [secret]', 'connect telegram token=…']);
  expect(said.card.title).toBe('Telegram');
  const both = `connect discord token=${bot.discord.token.replace('a-secret', 'another')} clientSecret=a-long-client-secret`;
  expect((await bot.say(both)).line).toBe('connect discord token=… clientSecret=…');
  bot.telegram.chat({ id: -1_001, type: 'channel', title: 'Signals' });
  const added = (may: boolean) =>
    bot.telegram.membership(-1_001, 'left', { status: 'administrator', can_post_messages: may });
  added(false);
  const next = async () => (await bot.say('connect telegram')).card.summary;
  await expect.poll(next).toContain('In Signals the bot may not post: give it the right "Post messages".');
  added(true);
  await expect.poll(next).not.toContain('In Signals');
  bot.telegram.membership(-1_001, 'administrator', 'left');
  bot.telegram.chat({ id: 5_001, title: 'Ada' });
  bot.telegram.say('/start', { chatId: 5_001 });
  await expect.poll(async () => (await bot.say('connect telegram')).card.table?.rows).toEqual([['1', 'Ada']]);
  expect((await bot.say('connect telegram to=1')).card).toMatchObject({
    title: 'Sample alert posted',
    summary: 'Ada',
  });
  expect(bot.telegram.messages.filter((each) => JSON.stringify(each).includes('TEST: '))).toHaveLength(1);
  expect((await bot.say('connect telegram disconnect=yes')).card.title).toBe('Telegram');
  const database = await readFile(join(bot.home, 'tocsin.db'), 'latin1');
  const log = await readFile(join(bot.home, 'tocsin.db-wal'), 'latin1').catch(() => '');
  const places = [...bot.written, database, log];
  expect(places.filter((text) => text.includes(token) || text.includes(wrong))).toEqual([]);
});

it('what cannot be read of the connections is said, is no error, and is replaced by connecting anew', async () => {
  const bot = await asked();
  await writeFile(join(bot.home, 'tocsin.db.connections'), '{garbage');
  const url = await bot.restart();
  const telegram = async () =>
    ((await (await fetch(`${url}/api/connecting`)).json()) as { name: string; problem?: string }[]).find(
      ({ name }) => name === 'telegram',
    );
  expect(await telegram()).toMatchObject({ source: null, problem: expect.stringMatching(/connect anew/) });
  const given = { options: { token: bot.telegram.token } };
  const answer = await fetch(`${url}/api/connecting/telegram`, jsonRequest('PUT', given));
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ source: 'here' });
  await expect.poll(telegram).toMatchObject({ source: 'here', bot: { name: '@tocsin_bot' } });
  expect((await telegram())?.problem).toBeUndefined();
});

it.each(['telegram', 'discord'] as const)(
  'a platform that is connected and does not answer is said not to: %s',
  async (name) => {
    const bot = await asked();
    expect(await bot.connect(name, { token: bot[name].token })).toMatchObject({ status: 200 });
    const stateAt = async (url: string) =>
      ((await (await fetch(`${url}/api/connecting`)).json()) as { name: string }[]).find(
        (each) => each.name === name,
      );
    const state = () => stateAt(bot.url);
    await expect.poll(state).toMatchObject({ bot: {} });
    const silence = { problem: expect.stringMatching(/^(Telegram|Discord) does not answer since \S/) };
    expect(await state()).not.toMatchObject(silence);
    await bot[name].close();
    await expect.poll(state).toMatchObject({ source: 'here', ...silence });
    const url = await bot.restart();
    await expect.poll(() => stateAt(url)).toMatchObject({ source: 'here', ...silence });
  },
);
