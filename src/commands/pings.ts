import { z } from 'zod';
import { UserError } from '../language/errors.ts';
import { msg, typed } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { authorOf, mustManage } from '../shell/editing.ts';
import { role } from '../shell/input.ts';

/** As many as fit into one message as buttons. */
const maxRoles = 10;

export default defineCommand({
  name: 'pings',
  topic: 'alerts',
  description: msg('Post buttons by which members choose the roles that alerts mention'),
  takes: 'manage',
  input: z.object({
    role: role.describe('One role (default: all that subscriptions here mention)').optional(),
  }),
  async run({ role: named }, context) {
    const { caller, store, tryPost } = context;
    mustManage(caller);
    const { pings, roleOf } = caller;
    if (pings === undefined || roleOf === undefined)
      throw new UserError(msg('Only servers on Discord have roles to choose.'));
    const mentioned = (await store.subscriptions.of(caller.receiver)).flatMap(({ mention }) => mention ?? []);
    const ids = named == null ? [...new Set(mentioned)].slice(0, maxRoles) : [roleOf(named)?.id ?? named];
    if (ids.length === 0)
      throw new UserError(
        msg('No subscription here mentions a role. "{setup}" chooses one.', { setup: typed('setup') }),
      );
    const roles = ids.map((id) => ({ id, name: pings.offer(id) }));
    await tryPost(caller.receiver, {
      title: msg('Choose your pings'),
      summary: msg('A button gives you the role that alerts mention, or takes it away again.'),
      actions: roles.map(({ id, name }) => ({ label: name, command: `ping ${id}` })),
    });
    await store.change(authorOf(context), async (_, record) =>
      record(msg('offered roles: {roles}', { roles: roles.map(({ name }) => name).join(', ') })),
    );
    return { title: msg('Posted'), summary: msg('Members choose their pings with its buttons.') };
  },
});
