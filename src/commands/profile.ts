import { z } from 'zod';
import { UserError } from '../language/errors.ts';
import { lines, msg } from '../language/text.ts';
import { defineCommand, type Looks } from '../shell/command.ts';
import { authorOf, mustManage } from '../shell/editing.ts';

/** As long as Discord allows. */
const maxName = 32;

export default defineCommand({
  name: 'profile',
  topic: 'chat',
  description: msg('The bot’s name and picture in this server'),
  takes: 'manage',
  input: z.object({
    name: z.string().trim().min(1).max(maxName).optional().describe('What the bot is called here'),
    picture: z
      .string()
      .regex(/^data:image\/(png|jpeg|gif);base64,/, 'send a picture')
      .meta({ as: 'image' })
      .optional()
      .describe('Its picture here: PNG, JPEG or GIF, at most 1 MB'),
    reset: z.enum(['yes']).optional().describe('yes to reset'),
  }),
  async run({ name, picture, reset }, context) {
    const { caller, store } = context;
    mustManage(caller);
    const { profile } = caller;
    if (profile === undefined)
      throw new UserError(msg('Only servers on Discord show a bot of their own name and picture.'));
    const looks: Looks = {
      ...(reset !== undefined && { name: null, picture: null }),
      ...(name !== undefined && { name }),
      ...(picture !== undefined && { picture }),
    };
    if (Object.keys(looks).length === 0) throw new UserError(msg('Give a name, a picture, or reset=yes.'));
    await profile.change(looks);
    const changes = [
      ...(looks.name === undefined
        ? []
        : [looks.name === null ? msg('Name: as everywhere') : msg('Name: {name}', { name: looks.name })]),
      ...(looks.picture === undefined
        ? []
        : [looks.picture === null ? msg('Picture: as everywhere') : msg('Picture: the one you sent')]),
    ];
    await store.change(authorOf(context), async (_, record) => changes.forEach(record));
    return { title: msg('Changed in this server'), summary: lines(...changes) };
  },
});
