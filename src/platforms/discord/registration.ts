import { createHash } from 'node:crypto';
import { type Client, DiscordAPIError, Routes } from 'discord.js';
import { z } from 'zod';
import type { Ports } from '../ports.ts';
import { type Registered, readRegistered, storedName } from './command-ids.ts';
import type { DiscordOptions } from './options.ts';
import { snowflake } from './post-body.ts';
import { pauseAfter, problem } from './retry.ts';
import { messageMenu, optionType, slashCommands } from './slash.ts';

interface RegistrationOptions extends Pick<Ports, 'commands' | 'places' | 'log' | 'wall'> {
  readonly options: DiscordOptions;
  readonly signal: AbortSignal;
}

/** Registers the slash commands if they have changed, and tries again if Discord fails. Rejects if Discord refuses them. */
export async function registerCommands(client: Client<true>, given: RegistrationOptions): Promise<void> {
  const { log, wall, signal } = given;
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      return await register(client, given);
    } catch (error) {
      // Discord would refuse the same commands again.
      if (error instanceof DiscordAPIError && error.status === 400) throw error;
      const pause = pauseAfter(attempt);
      log.warn({ ...problem(error), pause }, 'Discord: the commands could not be registered; retrying');
      await wall.sleep(pause, signal).catch(() => {});
    }
  }
}

/** Registers the slash commands if they have changed: Discord allows 200 creations a day. */
async function register(
  client: Client<true>,
  { options, commands, places, log }: RegistrationOptions,
): Promise<void> {
  // If there are several processes, the one with the first shard registers the commands for all.
  if (options.shards !== undefined && !options.shards.ids.includes(0)) return;
  const { id: application } = client.application;
  const guild = options.developmentGuild;
  const body = [...slashCommands(commands), messageMenu()];
  const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  const known = readRegistered(await places.recall(storedName));
  if (known?.application === application && known.guild === guild && known.hash === hash) return;
  const route =
    guild === undefined
      ? Routes.applicationCommands(application)
      : Routes.applicationGuildCommands(application, guild);
  const ids = idsIn(await client.rest.put(route, { body }));
  await places.remember(storedName, JSON.stringify({ application, guild, hash, ids } satisfies Registered));
  log.info({ commands: body.length, guild }, 'slash commands are registered with Discord');
}

const answered = z.array(
  z.object({
    id: snowflake,
    name: z.string(),
    options: z.array(z.object({ type: z.int(), name: z.string() })).default([]),
  }),
);

/** Reads the ids from Discord's answer. Those of an answer that cannot be read are missing. */
function idsIn(json: unknown): Readonly<Record<string, string>> {
  const { data = [] } = answered.safeParse(json);
  const entries = data.flatMap(({ id, name, options }) => {
    const actions = options.filter(({ type }) => type === optionType.subCommand);
    return actions.length === 0 ? [[name, id]] : actions.map((action) => [`${name} ${action.name}`, id]);
  });
  return Object.fromEntries(entries);
}
