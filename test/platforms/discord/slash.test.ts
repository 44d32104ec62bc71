import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { options } from '#src/platforms/discord/options.ts';
import { renderDiscord } from '#src/platforms/discord/render.ts';
import { readSlash, slashCommands, suggest } from '#src/platforms/discord/slash.ts';
import { inviteLink } from '#src/platforms/discord/whereabouts.ts';
import { defineCommand } from '#src/shell/command.ts';
import { fieldsOf } from '#src/shell/fields.ts';
import type { CommandRequest } from '#src/shell/request.ts';
import { runCommand } from '#src/shell/run.ts';
import { commandContext, commands } from '#test/support/commands.ts';
import { pinged, readMessage } from '#test/support/discord/message.ts';
import { readyFixture } from '#test/support/discord/platform.ts';
import { text } from '../../card/arbitrary.ts';

const context = commandContext();

/** Runs the request as the bot does, and checks the response against Discord's rules. */
async function answered(request: CommandRequest): Promise<void> {
  const bugs: unknown[] = [];
  const card = await runCommand(commands, {
    request,
    context: commandContext(),
    report: (error) => {
      bugs.push(error);
      return 'bug';
    },
  });
  expect(bugs, JSON.stringify(request)).toEqual([]);
  for (const message of renderDiscord(card)) {
    const read = readMessage(message);
    if ('status' in read) throw new Error(`${JSON.stringify(request)}: ${JSON.stringify(read)}`);
    expect(pinged(read)).toEqual([]);
  }
}

const word = fc.oneof(
  text,
  fc.constantFrom(
    'all',
    'BTCUSDT',
    'btc',
    '4h',
    '-1',
    '1e9',
    '@everyone',
    '<@1>',
    '**',
    '`',
    'warning',
    'Europe/Berlin',
    '22-7',
    '__proto__',
    'constructor',
  ),
);
const value = fc.oneof(word, fc.double(), fc.integer(), fc.boolean());
const name = fc.oneof(fc.constantFrom(...commands.map((each) => each.name)), word);
const key = fc.oneof(
  fc.constantFrom(...new Set(commands.flatMap((each) => fieldsOf(each).map((field) => field.key)))),
  word,
);

describe('any input', () => {
  it('by slash commands causes no defect and gets a valid response', async () => {
    const options = fc.array(fc.record({ name: key, value }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(name, options, (command, given) =>
        answered(readSlash(command, { given, commands }).request),
      ),
      { numRuns: 1_000 },
    );
  });

  it('by buttons and menus causes no defect and gets a valid response', async () => {
    const line = fc
      .tuple(name, fc.array(word, { maxLength: 4 }))
      .map(([first, rest]) => [first, ...rest].join(' '));
    await fc.assert(fc.asyncProperty(line, answered), { numRuns: 1_000 });
  });

  it('during typing gets suggestions that are short enough for Discord', () => {
    fc.assert(
      fc.property(name, key, word, (command, input, typed) => {
        const offered = suggest(command, { focused: { name: input, value: typed }, context });
        expect(offered.length).toBeLessThanOrEqual(25);
        for (const each of offered) expect(each.value.length).toBeLessThanOrEqual(100);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the inputs of a command', () => {
  const made = defineCommand({
    name: 'made',
    description: { message: 'x'.repeat(200), values: {} },
    input: z.object({
      first: z.enum(['a', 'b']).optional().describe('One of two'),
      many: z.int().min(1).max(9).describe('How many to list'),
      flag: z.boolean().optional().describe('Yes or no'),
    }),
    run: async () => ({ title: 'x' }),
  });

  it('become options: required ones first, with choices, bounds and descriptions of valid length', () => {
    expect(slashCommands([made])).toMatchObject([
      {
        description: `${'x'.repeat(99)}…`,
        contexts: [0, 1, 2],
        integration_types: [0, 1],
        options: [
          { name: 'many', type: 4, required: true, min_value: 1, max_value: 9 },
          {
            name: 'first',
            type: 3,
            choices: [
              { name: 'a', value: 'a' },
              { name: 'b', value: 'b' },
            ],
          },
          { name: 'flag', type: 5 },
          { name: 'private', type: 5 },
        ],
      },
    ]);
  });

  it('are described in every language with a translation, and in English otherwise', () => {
    const [command] = slashCommands([made]);
    expect(command).not.toHaveProperty('description_localizations');
    expect(command).toMatchObject({
      options: [
        {
          name: 'many',
          description: 'How many to list',
          description_localizations: {
            'es-ES': 'Cuántas mostrar',
            'es-419': 'Cuántas mostrar',
            'zh-CN': '列出多少条',
          },
        },
        expect.not.objectContaining({ description_localizations: expect.anything() }),
        expect.not.objectContaining({ description_localizations: expect.anything() }),
        { name: 'private', description_localizations: { 'zh-CN': '只有你能看到回答' } },
      ],
    });
  });

  it('are read back from the values given', () => {
    const given = [
      { name: 'many', value: 3 },
      { name: 'private', value: true },
    ];
    expect(readSlash('made', { given, commands: [made] })).toEqual({
      request: { name: 'made', input: { many: 3 } },
      private: true,
    });
  });
});

it('a guild cannot change another guild’s settings by any command that takes an id', async () => {
  await using f = await readyFixture();
  await f.slash('subscribe');
  await f.slash('silence', { for: '4h' });
  const { subscriptions, silences } = (
    f.context.store as unknown as { kept: Record<string, { id: string }[]> }
  ).kept;
  const idsNow = () => [...(subscriptions ?? []), ...(silences ?? [])].map(({ id }) => id);
  const ids = idsNow();
  expect(ids).toHaveLength(2);
  const { guild, channel } = f.discord.addGuild('Another');
  f.discord.gateway.dispatch('GUILD_CREATE', guild);
  const there = { guildId: guild.id, channelId: channel.id };
  const idCommands = commands.filter((command) => fieldsOf(command).some((field) => field.key === 'id'));
  expect(idCommands.length).toBeGreaterThan(3);
  for (const { name: command } of idCommands) {
    for (const id of [...ids, 'all']) await f.slash(command, { id }, there);
    expect(idsNow(), command).toEqual(ids);
  }
  const seen = JSON.stringify((await f.slash('subscriptions', {}, there)).message);
  for (const id of ids) expect(seen).not.toContain(id);
});

describe('DISCORD_SHARDS', () => {
  it.each([
    ['0-3/16', { ids: [0, 1, 2, 3], count: 16 }],
    [' 5/16 ', { ids: [5], count: 16 }],
    ['0/1', { ids: [0], count: 1 }],
  ])('%s is read as shards', (given, expected) => {
    expect(options.shape.shards.parse(given)).toEqual(expected);
  });

  it.each(['', '4', '3-0/16', '0-16/16', 'a/b', '0-3', '-1/4', '0/0', '0/99999'])(
    '"%s" is refused with an example',
    (given) => {
      expect(options.shape.shards.safeParse(given).error?.issues[0]?.message).toContain('"0-3/16"');
    },
  );
});

it('the invitation asks for exactly the permissions that are needed', () => {
  const link = new URL(inviteLink('123456789012345678'));
  expect(Object.fromEntries(link.searchParams)).toEqual({
    client_id: '123456789012345678',
    scope: 'bot applications.commands',
    permissions: '309237763072',
  });
});
