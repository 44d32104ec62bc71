import { type BaseInteraction, type Guild, InteractionContextType, PermissionFlagsBits } from 'discord.js';
import { english, languageOf } from '../../language/languages.ts';
import type { Caller } from '../../shell/command.ts';
import { managerRights, memberRights } from '../../shell/rights.ts';
import { pingsOf } from './pings.ts';
import { profileOf } from './profile.ts';

/** Where an interaction happened, and what its sender may do there. */
interface InteractionOrigin {
  readonly caller: Caller;
  /** False if the bot is not a member there and was installed only by the asker: it can answer, but not post. */
  readonly botIsMember: boolean;
}

/** Discord does not tell the user's time zone. */
const timeZone = 'UTC';

export function originOf(interaction: BaseInteraction): InteractionOrigin {
  const { guildId, channelId, channel, user } = interaction;
  const thread = channel?.isThread() === true ? channel : undefined;
  const inGuild = guildId !== null;
  // The guild is null if the bot is not a member of it.
  const botIsMember = inGuild
    ? interaction.guild !== null
    : interaction.context === InteractionContextType.BotDM;
  const address = {
    channelId: thread?.parentId ?? channelId ?? user.id,
    ...(guildId !== null && { guildId }),
    ...(thread !== undefined && { threadId: thread.id }),
  };
  const isManager =
    botIsMember && (!inGuild || interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild) === true);
  const { guild } = interaction;
  return {
    botIsMember,
    caller: {
      ...(inGuild && {
        direct: async () => {
          const { id } = await user.createDM();
          return { notifier: 'discord', address: { channelId: id } };
        },
      }),
      ...(guild !== null && {
        roleOf: (named: string) => roleOf(named, guild, interaction),
        pings: pingsOf(interaction, guild),
        profile: profileOf(guild),
      }),
      receiver: { notifier: 'discord', address },
      user: `discord:${user.id}`,
      person: `discord:${user.id}`,
      rights: isManager ? managerRights : memberRights,
      language: languageOf(interaction.locale) ?? languageOf(interaction.guildLocale ?? '') ?? english,
      timeZone,
      slash: 'options',
    },
  };
}

/**
 * Finds a role by its mention or id, and tells whether the asker may have it mentioned. As for Discord's members, this takes
 * a role that anyone may mention, or the right to mention all roles; the asker and the bot must both have that right.
 */
function roleOf(named: string, guild: Guild, interaction: BaseInteraction) {
  const id = /^(?:<@&)?(\d{15,20})>?$/.exec(named)?.[1];
  return id === undefined ? undefined : { id, mentionable: mayMention(id, guild, interaction) };
}

function mayMention(id: string, guild: Guild, interaction: BaseInteraction): boolean {
  const { memberPermissions, appPermissions } = interaction;
  const role = guild.roles.cache.get(id);
  // The role that every member has (@everyone) has the id of its guild. Mentioning it would notify everyone.
  if (role === undefined || role.id === guild.id) return false;
  const all = PermissionFlagsBits.MentionEveryone;
  return role.mentionable || (memberPermissions?.has(all) === true && appPermissions.has(all));
}
