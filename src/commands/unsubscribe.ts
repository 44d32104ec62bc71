import { z } from 'zod';
import { matcherText } from '../alert/subscription.ts';
import { UserError } from '../language/errors.ts';
import { lines, msg } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { ownId } from '../shell/input.ts';
import { readKnownKinds } from '../shell/own-things.ts';
import { change } from './kit/change.ts';
import { noSuchId } from './kit/no-such-id.ts';
import { requireChangeable } from './kit/set-by-file.ts';
import { subscriptionsTable } from './kit/settings.ts';

export default defineCommand({
  name: 'unsubscribe',
  topic: 'alerts',
  otherNames: ['desuscribir'],
  description: msg('End a subscription of this chat, or all of them'),
  takes: 'manage',
  input: z.object({
    id: ownId('subscription')
      .meta({ names: 'subscription', offers: ['all'] })
      .describe('Its id, as "subscriptions" shows it, or all'),
  }),
  async run({ id }, context) {
    const { receiver } = context.caller;
    const known = await readKnownKinds(context);
    const { ending, left } = await change(context, async (places, record) => {
      const existing = await places.subscriptions.of(receiver);
      const meant = id.toLowerCase() === 'all' ? existing : existing.filter((each) => each.id === id);
      if (meant.length === 0) {
        throw existing.length === 0
          ? new UserError(msg('Nothing is subscribed here.'))
          : noSuchId(msg('No subscription here has the id "{id}"', { id }), existing);
      }
      const ending = requireChangeable(meant);
      for (const each of ending) {
        await places.subscriptions.remove(each.id, receiver);
        record(msg('ended subscription {id}: {what}', { id: each.id, what: matcherText(each, known) }));
      }
      return { ending, left: existing.filter((each) => !ending.includes(each)) };
    });
    return {
      title: msg('{count, plural, one {Subscription ended} other {# subscriptions ended}}', {
        count: ending.length,
      }),
      summary: lines(
        ...ending.map((each) => msg('You no longer get: {what}.', { what: matcherText(each, known) })),
      ),
      ...(left.length > 0 && { table: subscriptionsTable(left, known) }),
    };
  },
});
