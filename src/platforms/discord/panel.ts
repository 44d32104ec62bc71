import type { MessageComponentInteraction } from 'discord.js';
import type { Card } from '../../card/card.ts';
import { sayCard } from '../../card/say-card.ts';
import type { Caller } from '../../shell/command.ts';
import type { Ports } from '../ports.ts';
import { noChannelCard } from './answer-cards.ts';
import { originOf } from './caller.ts';
import type { LongLines } from './long-lines.ts';
import { asEphemeral, messageOf } from './message.ts';
import type { CommandIds } from './text.ts';

interface PanelPlace {
  readonly channelId?: unknown;
  readonly threadId?: unknown;
}

/** A command for a place other than that of its button: `@CHANNEL LINE` or `@CHANNEL/THREAD LINE`. */
const placedLine = /^@(\d{5,20})(?:\/(\d{5,20}))? (.+)$/s;

/** Returns the card with buttons that act in this place, wherever the card is shown. */
export function placedIn({ channelId, threadId }: PanelPlace, card: Card<string>): Card<string> {
  const placed = (line: string) =>
    line === '' ? line : `@${channelId}${threadId === undefined ? '' : `/${threadId}`} ${line}`;
  const { actions, table } = card;
  return {
    ...card,
    actions: actions?.map((action) => ({ ...action, command: placed(action.command) })),
    ...(table && { table: { ...table, ...(table.commands && { commands: table.commands.map(placed) }) } }),
  };
}

/** A button of a panel, or what was chosen in one of its menus. */
interface PanelPress {
  readonly line: string;
  /** Who pressed it, for the place that the button is about. Undefined: that is no place of this server any more. */
  readonly caller: Caller | undefined;
  /** Undefined: it is not known. */
  readonly channelName: string | undefined;
}

/** Reads a press; undefined if the button is of no panel. */
export function readPanelPress(
  interaction: MessageComponentInteraction,
  { line: pressed, caller }: { readonly line: string; readonly caller: Caller },
): PanelPress | undefined {
  const [, ofPanel, threadId, line = ''] = placedLine.exec(pressed) ?? [];
  if (ofPanel === undefined) return undefined;
  const { receiver } = caller;
  const own = receiver.address;
  const choosesChannel = interaction.isChannelSelectMenu();
  const channelId = choosesChannel ? (interaction.values[0] ?? ofPanel) : ofPanel;
  const channel =
    (choosesChannel ? interaction.channels.get(channelId) : undefined) ??
    interaction.guild?.channels.cache.get(channelId);
  const isOwn = own.channelId === channelId && own.threadId === threadId;
  const isOfGuild = channel !== undefined && (choosesChannel || threadId === undefined);
  const { guildId } = interaction;
  const address = { channelId, ...(guildId !== null && { guildId }) };
  return {
    line: interaction.isRoleSelectMenu() ? `${line}${interaction.values[0] ?? 'none'}` : line,
    caller: isOwn
      ? caller
      : isOfGuild
        ? { ...caller, receiver: { ...receiver, address }, answeredElsewhere: true }
        : undefined,
    channelName: channel && 'name' in channel ? (channel.name ?? undefined) : undefined,
  };
}

interface PanelPorts extends Pick<Ports, 'ask' | 'image' | 'now' | 'reader'> {
  readonly lines: LongLines;
  readonly ids: CommandIds;
}

/** Answers a press in a panel: in its place if the answer is the panel again, otherwise below it, to the asker alone. */
export async function pressPanel(
  interaction: MessageComponentInteraction,
  { line, caller, channelName }: PanelPress,
  ports: PanelPorts,
): Promise<void> {
  await interaction.deferUpdate();
  const show = async (card: Card<string>) => {
    const title = channelName === undefined ? card.title : `#${channelName}: ${card.title}`;
    const placed = caller === undefined ? card : placedIn(caller.receiver.address, { ...card, title });
    const message = await messageOf(placed, ports);
    if (card.panel === true) await interaction.editReply(message);
    else await interaction.followUp(asEphemeral(message));
  };
  if (caller === undefined) {
    const reader = await ports.reader(originOf(interaction).caller);
    return show(sayCard(noChannelCard, reader));
  }
  const { later, ...card } = await ports.ask(line, caller);
  await show(card);
  const complete = await later;
  if (complete?.panel === true) await show(complete);
}
