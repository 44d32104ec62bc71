import { z } from 'zod';
import { type Matcher, mutedText, muteSame } from '../alert/subscription.ts';
import { UserError } from '../language/errors.ts';
import { lines, msg } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { ownId } from '../shell/input.ts';
import { readKnownKinds } from '../shell/own-things.ts';
import { change } from './kit/change.ts';
import { noSuchId } from './kit/no-such-id.ts';
import { silenceText } from './kit/settings.ts';

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
    const known = await readKnownKinds(context);
    const { ending, left } = await change(context, async ({ silences }, record) => {
      const own = await silences.of(receiver, context.now);
      const meant = own.find((each) => each.id === id);
      const ending = id.toLowerCase() === 'all' ? own : own.filter((each) => meant && muteSame(each, meant));
      if (ending.length === 0) {
        throw own.length === 0
          ? new UserError(msg('Nothing is silenced here.'))
          : noSuchId(msg('No silence here has the id "{id}"', { id }), own);
      }
      for (const each of ending) {
        await silences.remove(each.id, receiver);
        record(msg('ended silence {id}: {what}', { id: each.id, what: mutedText(each, known) }));
      }
      return { ending, left: own.filter((each) => !ending.includes(each)) };
    });
    return {
      title: msg('{count, plural, one {Silence ended} other {# silences ended}}', {
        count: unique(ending).length,
      }),
      summary: lines(
        ...unique(ending).map((each) => msg('Alerts are back: {what}.', { what: mutedText(each, known) })),
        ...left
          .filter((wider) => ending.some((each) => covers(wider, each)))
          .map((each) => msg('Still silent: {what}.', { what: silenceText(each, known) })),
      ),
    };
  },
});

/** Silences of the same, of which earlier versions could store several, are told once. */
const unique = (silences: readonly Matcher[]) =>
  silences.filter((each, at) => silences.findIndex((other) => muteSame(other, each)) === at);

/** Whether the first silence mutes all that the second one does. */
const covers = (wider: Matcher, { kinds, symbols }: Matcher): boolean =>
  includesAll(wider.kinds, kinds) && includesAll(wider.symbols, symbols);

const includesAll = (wider: readonly string[], names: readonly string[]): boolean =>
  wider.includes('*') || names.every((name) => wider.includes(name));
