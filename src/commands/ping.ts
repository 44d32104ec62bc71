import { z } from 'zod';
import { UserError } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';

export default defineCommand({
  name: 'ping',
  topic: 'alerts',
  description: msg('Take or give back a role that alerts mention, by its button'),
  takes: 'own',
  personal: true,
  input: z.object({ role: z.string().trim().min(1).max(40).describe('The role') }),
  async run({ role }, { caller: { pings } }) {
    if (pings === undefined) throw new UserError(msg('Only servers on Discord have roles to choose.'));
    const { name, given } = await pings.toggle(role);
    return given
      ? { title: msg('You have the role {name}', { name }), summary: msg('Its alerts mention you now.') }
      : { title: msg('You no longer have the role {name}', { name }) };
  },
});
