import { z } from 'zod';
import { msg, typed } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { authorOf } from '../shell/editing.ts';

export default defineCommand({
  name: 'resume',
  description: msg('For the operator: send alerts again after "{pause}", with those that waited', {
    pause: typed('pause'),
  }),
  takes: 'operate',
  input: z.object({}),
  async run(_, context) {
    const paused = await context.store.change(authorOf(context), async ({ sending }, audit) => {
      const paused = await sending.paused();
      if (paused === null) return null;
      await sending.resume();
      audit(msg('resumed all sending'));
      return paused;
    });
    return paused === null
      ? { title: msg('Nothing was paused') }
      : {
          title: msg('Sending resumed'),
          summary: msg('What waited is being sent now; late alerts say so.'),
        };
  },
});
