import { createHash } from 'node:crypto';
import { type Client, DiscordAPIError, Routes } from 'discord.js';
import type { DiscordPorts, DiscordTalk } from './discord.ts';
import { pauseAfter, problem } from './retry.ts';
import { slashCommands } from './slash.ts';

interface RegistrationOptions extends Pick<DiscordPorts, 'commands' | 'places' | 'log' | 'wall'> {
  readonly options: DiscordTalk;
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
  const { id } = client.application;
  const guild = options.developmentGuild;
  const body = slashCommands(commands);
  const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  const name = `discord commands ${id} ${guild ?? 'global'}`;
  if ((await places.recall(name)) === hash) return;
  const route =
    guild === undefined ? Routes.applicationCommands(id) : Routes.applicationGuildCommands(id, guild);
  await client.rest.put(route, { body });
  await places.remember(name, hash);
  log.info({ commands: body.length, guild }, 'slash commands are registered with Discord');
}
