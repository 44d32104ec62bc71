import { AttachmentBuilder, type Interaction, MessageFlags } from 'discord.js';
import type { Card } from '../../card/card.ts';
import { commandPrefix, renderDiscord } from '../../card/render-discord.ts';
import { sayCard } from '../../card/say-card.ts';
import type { CommandRequest } from '../../command/request.ts';
import { findCommand } from '../../command/vocabulary.ts';
import type { Command } from '../../commands/command.ts';
import { msg } from '../../language/text.ts';
import { UserError } from '../../runtime/errors.ts';
import { second } from '../../runtime/units.ts';
import { sceneOf } from './caller.ts';
import type { DiscordPorts } from './discord.ts';
import { readSlash, suggest } from './slash.ts';

/** Discord waits 3 s for the first word; whoever is not done by then has said "thinking" before. */
const deferAfter = second;

interface Asked {
  readonly request: CommandRequest;
  /** Only the asker is to see the answer. */
  readonly private: boolean;
}

/** A card as a message of discord.js, with its chart where one can be drawn. */
export async function messageOf(card: Card<string>, { image, now }: Pick<DiscordPorts, 'image' | 'now'>) {
  const picture = card.chart && (await image?.(card).catch(() => undefined));
  const name = 'chart.png';
  const options = { now: now(), ...(picture !== undefined && { image: name }) };
  const { embeds, components } = renderDiscord(card, options);
  return {
    embeds,
    components,
    files:
      picture === undefined
        ? []
        : [new AttachmentBuilder(Buffer.from(picture.png), { name, description: picture.alt })],
  };
}

/** What is asked by a slash command, a button or a menu; undefined where it is none of ours. */
function read(interaction: Interaction, { commands }: DiscordPorts): Asked | undefined {
  if (interaction.isChatInputCommand()) {
    return readSlash(interaction.commandName, interaction.options.data, commands);
  }
  if (interaction.isButton()) {
    const { customId } = interaction;
    // One of an earlier version is answered too: that it is not understood.
    const line = customId.startsWith(commandPrefix) ? customId.slice(commandPrefix.length) : customId;
    return { request: line, private: true };
  }
  if (interaction.isStringSelectMenu()) return { request: interaction.values[0] ?? '', private: true };
  return undefined;
}

function commandOf(request: CommandRequest, { commands }: DiscordPorts): Command | undefined {
  const name = typeof request === 'string' ? (request.trim().split(/\s/)[0] ?? '') : request.name;
  try {
    return findCommand(name, commands);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

const absent: Card = {
  title: msg('That cannot be done'),
  summary: msg(
    'The bot is not a member here, so it could post nothing. Add it to this server, or write to it directly, and ask there.',
  ),
};

/** Answers one interaction: at once where it can, else it says that it thinks, and then what it found. */
export async function answer(interaction: Interaction, ports: DiscordPorts): Promise<void> {
  if (interaction.isAutocomplete()) {
    const { name, value } = interaction.options.getFocused(true);
    const { universe, kinds, commands } = ports;
    const own = await ports.own(sceneOf(interaction).caller);
    const context = { universe: universe(), kinds, commands, own };
    return interaction.respond(suggest(interaction.commandName, { name, value }, context));
  }
  const asked = read(interaction, ports);
  if (asked === undefined || !interaction.isRepliable()) return undefined;
  const { caller, present } = sceneOf(interaction);
  const { settings = false, personal = false } = commandOf(asked.request, ports) ?? {};
  const hidden = settings || personal || asked.private || !present;
  const flags = hidden ? { flags: MessageFlags.Ephemeral as const } : {};
  const card =
    settings && !present
      ? ports.reader(caller).then((reader) => sayCard(absent, reader))
      : ports.ask(asked.request, caller);
  const message = card.then((said) => messageOf(said, ports));
  const patience = new AbortController();
  const soon = await Promise.race([
    message,
    ports.wall.sleep(deferAfter, patience.signal).then(() => undefined),
  ]).finally(() => patience.abort());
  if (soon !== undefined) {
    await interaction.reply({ ...soon, ...flags });
    return undefined;
  }
  await interaction.deferReply(flags);
  await interaction.editReply(await message);
  return undefined;
}
