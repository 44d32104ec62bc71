import { z } from 'zod';
import { ruleName } from '../alert/rule.ts';
import { matcherText } from '../alert/subscription.ts';
import { lines, listOf, msg, typed } from '../language/text.ts';
import { pauseAll } from '../places/pause-all.ts';
import { defineCommand } from '../shell/command.ts';
import { editingOf } from '../shell/editing.ts';

export default defineCommand({
  name: 'stop',
  topic: 'alerts',
  description: msg('Stop all alerts here, or let them come again; nothing is deleted'),
  takes: 'manage',
  input: z.object({
    undo: z.enum(['yes', 'no']).default('no').describe('yes to let them come again'),
  }),
  async run({ undo }, context) {
    const paused = undo === 'no';
    const { subscriptions, rules, files, hooks } = await pauseAll(paused, editingOf(context));
    return {
      title: paused
        ? files.length + hooks.length === 0
          ? msg('All alerts here are stopped')
          : msg('Alerts here are stopped, but not all')
        : msg('Alerts come here again'),
      summary: lines(
        ...subscriptions.map((each) => matcherText(each, context)),
        ...rules.map(ruleName),
        paused && files.length > 0
          ? msg('Still on, set by {files}: whoever runs the bot changes it there.', {
              files: listOf(files),
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
