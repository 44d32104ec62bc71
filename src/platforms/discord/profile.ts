import { DiscordAPIError, type Guild, PermissionFlagsBits } from 'discord.js';
import { z } from 'zod';
import { UserError } from '../../language/errors.ts';
import { msg, type Text } from '../../language/text.ts';
import type { Profile } from '../../shell/command.ts';
import { code } from './failure.ts';

/** What is wrong with each field of a request (API docs, "Error Messages"). */
const fieldErrors = z.object({
  errors: z.record(z.string(), z.object({ _errors: z.array(z.object({ message: z.string() })).min(1) })),
});

const forbidden = (remedy: Text, cause?: unknown): UserError =>
  new UserError(remedy, { code: 'forbidden', cause });
const lacksRight = msg('The bot lacks the permission "Change Nickname" in this server.');

/** Changes the bot's name and picture in one guild ("Modify Current Member"), which are seen there alone. */
export const profileOf = (guild: Guild): Profile => ({
  async change({ name, picture }) {
    const { me } = guild.members;
    if (name !== undefined && me?.permissions.has(PermissionFlagsBits.ChangeNickname) === false)
      throw forbidden(lacksRight);
    // discord.js would fetch any other text, or read it as a file.
    if (typeof picture === 'string' && !picture.startsWith('data:image/'))
      throw new TypeError('a picture is a data URI');
    try {
      await guild.members.editMe({
        ...(name !== undefined && { nick: name }),
        ...(picture !== undefined && { avatar: picture }),
      });
    } catch (error) {
      if (!(error instanceof DiscordAPIError)) throw error;
      if (error.code === code.missingPermissions) throw forbidden(lacksRight, error);
      if (error.code !== code.invalidForm) throw error;
      // "You are changing your avatar too fast" is said in this way too.
      const { errors = {} } = fieldErrors.safeParse(error.rawError).data ?? {};
      const why = Object.values(errors).flatMap(({ _errors }) => _errors.map(({ message }) => message));
      throw new UserError(msg('Discord refuses: {why}', { why: why.join(' ') || error.message }), {
        cause: error,
      });
    }
  },
});
