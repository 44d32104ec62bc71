import {
  type BaseInteraction,
  DiscordAPIError,
  type Guild,
  GuildMember,
  PermissionFlagsBits,
  type Role,
} from 'discord.js';
import { z } from 'zod';
import { UserError } from '../../language/errors.ts';
import { msg, type Text } from '../../language/text.ts';
import type { Pings } from '../../shell/command.ts';
import { code } from './failure.ts';
import { commandPrefix } from './render.ts';

const refuse = (remedy: Text): never => {
  throw new UserError(remedy, { code: 'forbidden' });
};

/**
 * Returns a role that the bot can give and that gives its bearer nothing but mentions: a role with rights would make managers
 * of whoever presses a button. @throws UserError
 */
function giveableRole(id: string, { roles, members: { me } }: Guild): Role {
  const role = roles.cache.get(id);
  if (role === undefined || role.id === roles.everyone.id || role.managed)
    return refuse(msg('That role no longer exists, or belongs to a bot.'));
  const { name } = role;
  if (me?.permissions.has(PermissionFlagsBits.ManageRoles) !== true)
    return refuse(msg('The bot lacks the permission "Manage Roles" in this server.'));
  if (!role.editable)
    return refuse(
      msg('The role {name} stands above the bot’s own: move it below in the server settings.', { name }),
    );
  if (!roles.everyone.permissions.has(role.permissions))
    return refuse(msg('The role {name} gives permissions: choose one that gives none.', { name }));
  return role;
}

const pressed = z.object({
  customId: z.string(),
  message: z.object({
    author: z.object({ id: z.string() }),
    components: z.array(z.object({ components: z.array(z.object({ customId: z.string().nullish() })) })),
  }),
});

/** Whether the interaction is the press of a button that a message of the bot has and that offers the role. */
function isOffered(id: string, interaction: BaseInteraction): boolean {
  const { data } = pressed.safeParse(interaction);
  return (
    data?.customId === `${commandPrefix}ping ${id}` &&
    data.message.author.id === interaction.client.user.id &&
    data.message.components.some(({ components }) =>
      components.some(({ customId }) => customId === data.customId),
    )
  );
}

export const pingsOf = (interaction: BaseInteraction, guild: Guild): Pings => {
  const { member, memberPermissions, user } = interaction;
  return {
    offer(id) {
      const role = giveableRole(id, guild);
      const outranks =
        member instanceof GuildMember &&
        memberPermissions?.has(PermissionFlagsBits.ManageRoles) === true &&
        member.roles.highest.comparePositionTo(role) > 0;
      if (guild.ownerId === user.id || outranks) return role.name;
      return refuse(
        msg('Only members who may themselves give the role {name} can offer it: that takes "Manage Roles".', {
          name: role.name,
        }),
      );
    },
    async toggle(id) {
      if (!isOffered(id, interaction) || !(member instanceof GuildMember))
        return refuse(msg('Press its button in the message that offers it.'));
      const role = giveableRole(id, guild);
      const has = member.roles.cache.has(id);
      const change = { user, role, reason: 'pressed a button of the message that offers it' };
      try {
        await (has ? guild.members.removeRole(change) : guild.members.addRole(change));
      } catch (error) {
        if (!(error instanceof DiscordAPIError)) throw error;
        if (error.code === code.unknownRole)
          return refuse(msg('That role no longer exists, or belongs to a bot.'));
        if (error.code === code.missingPermissions)
          return refuse(msg('The bot lacks the permission "Manage Roles" in this server.'));
        throw error;
      }
      return { name: role.name, given: !has };
    },
  };
};
