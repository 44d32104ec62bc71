import { type BaseInteraction, type Guild, InteractionContextType, PermissionFlagsBits } from 'discord.js';
import { english, languageOf } from '../../language/languages.ts';
import type { Caller } from '../../shell/command.ts';
import { manager, member } from '../../shell/rights.ts';

/** Where an interaction happened, and who may do what there. */
export interface InteractionOrigin {
  readonly caller: Caller;
  /** False where the asker brought the bot along: it can answer, but not post. */
  readonly present: boolean;
}

/** Discord tells nobody's time zone. */
const timeZone = 'UTC';

export function originOf(interaction: BaseInteraction): InteractionOrigin {
  const { guildId, channelId, channel, user } = interaction;
  const thread = channel?.isThread() === true ? channel : undefined;
  const inGuild = guildId !== null;
  // A guild that is not known is one the bot is no member of.
  const present = inGuild ? interaction.guild !== null : interaction.context === InteractionContextType.BotDM;
  const address = {
    channelId: thread?.parentId ?? channelId ?? user.id,
    ...(guildId !== null && { guildId }),
    ...(thread !== undefined && { threadId: thread.id }),
  };
  const manages =
    present && (!inGuild || interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild) === true);
  const { guild } = interaction;
  return {
    present,
    caller: {
      ...(guild !== null && { roleOf: (named: string) => roleOf(named, { guild, interaction }) }),
      receiver: { notifier: 'discord', address },
      user: `discord:${user.id}`,
      person: `discord:${user.id}`,
      rights: manages ? manager : member,
      language: languageOf(interaction.locale) ?? languageOf(interaction.guildLocale ?? '') ?? english,
      timeZone,
      slash: 'options',
    },
  };
}

/** As Discord lets its members: a role that anyone may mention, or any where both, asker and bot, may mention all. */
function roleOf(
  named: string,
  { guild, interaction }: { readonly guild: Guild; readonly interaction: BaseInteraction },
) {
  const id = /^(?:<@&)?(\d{15,20})>?$/.exec(named)?.[1];
  return id === undefined ? undefined : { id, callable: mayMention(id, { guild, interaction }) };
}

function mayMention(
  id: string,
  { guild, interaction }: { readonly guild: Guild; readonly interaction: BaseInteraction },
): boolean {
  const { memberPermissions, appPermissions } = interaction;
  const role = guild.roles.cache.get(id);
  // The role that every member has is named as its guild is: to call it is to call everyone.
  if (role === undefined || role.id === guild.id) return false;
  const all = PermissionFlagsBits.MentionEveryone;
  return role.mentionable || (memberPermissions?.has(all) === true && appPermissions.has(all));
}
