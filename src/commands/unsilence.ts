import { z } from 'zod';
import { matcherText } from '../alert/subscription.ts';
import { UserError } from '../language/errors.ts';
import { lines, msg } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { ownId } from '../shell/input.ts';
import { change } from './kit/change.ts';
import { noSuchId } from './kit/no-such-id.ts';

export default defineCommand({
  name: 'unsilence',
  topic: 'alerts',
  otherNames: ['unmute'],
  description: msg('End a silence of this chat before its time, or all of them'),
  takes: 'manage',
  input: z.object({
    id: ownId('silence')
      .meta({ names: 'silence', offers: ['all'] })
      .describe('Its id, as "subscriptions" shows it, or all'),
  }),
  async run({ id }, context) {
    const { receiver } = context.caller;
    const ending = await change(context, async ({ silences }, record) => {
      const own = await silences.of(receiver, context.now);
      const ending = id.toLowerCase() === 'all' ? own : own.filter((each) => each.id === id);
      if (ending.length === 0) {
        throw own.length === 0
          ? new UserError(msg('Nothing is silenced here.'))
          : noSuchId(msg('No silence here has the id "{id}"', { id }), own);
      }
      for (const each of ending) {
        await silences.remove(each.id, receiver);
        record(msg('ended silence {id}: {what}', { id: each.id, what: matcherText(each) }));
      }
      return ending;
    });
    return {
      title: msg('{count, plural, one {Silence ended} other {# silences ended}}', {
        count: ending.length,
      }),
      summary: lines(...ending.map((each) => msg('Alerts are back: {what}.', { what: matcherText(each) }))),
    };
  },
});
