import { z } from 'zod';
import { type Rule, ruleName } from '../alert/rule.ts';
import { matcherText, type Subscription } from '../alert/subscription.ts';
import { UserError } from '../language/errors.ts';
import { lines, listOf, msg, typed } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { change } from './kit/change.ts';

export default defineCommand({
  name: 'stop',
  topic: 'alerts',
  description: msg('Stop all alerts here, or let them come again; nothing is deleted'),
  takes: 'manage',
  input: z.object({
    undo: z.enum(['yes', 'no']).default('no').describe('yes to let them come again'),
  }),
  async run({ undo }, context) {
    const { receiver } = context.caller;
    const paused = undo === 'no';
    const { changed, filed, hooks } = await change(context, async (places, record) => {
      const subscriptions = await places.subscriptions.of(receiver);
      const rules = await places.rules.of(receiver);
      const meant = <Thing extends Subscription | Rule>(things: readonly Thing[]) =>
        things.filter((each) => each.paused !== paused);
      const isOwn = ({ file }: Subscription | Rule) => file === undefined;
      const changed = {
        subscriptions: meant(subscriptions).filter(isOwn),
        rules: meant(rules).filter(isOwn),
      };
      for (const each of changed.subscriptions) await places.subscriptions.update({ ...each, paused });
      for (const each of changed.rules) await places.rules.update({ ...each, paused });
      if (changed.subscriptions.length + changed.rules.length > 0)
        record(paused ? msg('stopped all alerts') : msg('let all alerts come again'));
      return {
        changed,
        filed: [...meant(subscriptions), ...meant(rules)].filter((each) => !isOwn(each)),
        hooks: await places.hooks.of(receiver),
      };
    });
    const what = [
      ...changed.subscriptions.map((each) => matcherText(each, context)),
      ...changed.rules.map((each) => ruleName(each)),
    ];
    if (what.length + filed.length + hooks.length === 0)
      throw new UserError(
        paused
          ? msg('No alerts come here: nothing is subscribed, or all of it is paused.')
          : msg('Nothing is paused here.'),
      );
    return {
      title: paused
        ? filed.length + hooks.length === 0
          ? msg('All alerts here are stopped')
          : msg('Alerts here are stopped, but not all')
        : msg('Alerts come here again'),
      summary: lines(
        ...what,
        paused && filed.length > 0
          ? msg('Still on, set by {files}: whoever runs the bot changes it there.', {
              files: listOf([...new Set(filed.flatMap(({ file }) => file ?? []))]),
            })
          : undefined,
        paused && hooks.length > 0
          ? msg('Hooks still post here: {names}. "{list}" shows them.', {
              names: listOf(hooks.map(({ name }) => name)),
              list: typed('hook list'),
            })
          : undefined,
        paused ? msg('Nothing was deleted.') : undefined,
      ),
      actions: paused
        ? [
            { label: msg('Let them come again'), command: 'stop undo=yes' },
            { label: msg('Subscriptions'), command: 'subscriptions' },
          ]
        : [{ label: msg('Subscriptions'), command: 'subscriptions' }],
    };
  },
});
