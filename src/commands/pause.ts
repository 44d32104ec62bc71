import { z } from 'zod';
import { msg, typed } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { authorOf } from '../shell/editing.ts';

export default defineCommand({
  name: 'pause',
  description: msg('For the operator: hold all alerts until "{resume}"; questions are still answered', {
    resume: typed('resume'),
  }),
  takes: 'operate',
  refusal: msg('Only the operator may pause all sending. To pause a subscription here: "{list}".', {
    list: typed('subscriptions'),
  }),
  input: z.object({}),
  async run(_, context) {
    const { store, caller, now } = context;
    await store.change(authorOf(context), async ({ sending }, audit) => {
      await sending.pause({ by: caller.user, at: now });
      audit(msg('paused all sending'));
    });
    return {
      title: msg('All sending is paused'),
      summary: msg('Alerts wait until sending resumes; those that get too old meanwhile are not sent.'),
      actions: [{ label: msg('Resume'), command: 'resume' }],
    };
  },
});
