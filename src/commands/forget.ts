import { z } from 'zod';
import { type Rule, ruleName } from '../alert/rule.ts';
import { UserError } from '../language/errors.ts';
import { count } from '../language/format.ts';
import { join, listOf, msg, type Text, typed } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { authorOf } from '../shell/editing.ts';
import { confirm } from '../shell/input.ts';

export default defineCommand({
  name: 'forget',
  topic: 'chat',
  description: msg('Delete everything stored about this chat, or remove your name from it'),
  takes: 'own',
  personal: true,
  input: z.object({
    what: z.enum(['place', 'me']).default('place').describe('The whole chat, or only your name'),
    confirm: confirm.describe('yes, to do it'),
  }),
  async run({ what, confirm }, context) {
    const { store, caller } = context;
    if (what === 'place' && !caller.rights.has('manage')) {
      throw new UserError(
        msg('Only those who manage this chat can have it forgotten. For your name: "{me}".', {
          me: typed('forget me', 'forget what:me'),
        }),
        { code: 'forbidden' },
      );
    }
    const own = what === 'place' ? await store.rules.of(caller.receiver) : [];
    const subscriptions = what === 'place' ? await store.subscriptions.of(caller.receiver) : [];
    const listFile = what === 'place' ? await store.watchlist.fileOf(caller.receiver) : undefined;
    const filed = [...own, ...subscriptions, { file: listFile }];
    const files = new Set(filed.flatMap(({ file }) => file ?? []));
    const fileFacts = files.size === 0 ? [] : [{ name: msg('Set again by'), value: listOf([...files]) }];
    const alertFacts = own.length === 0 ? [] : [{ name: msg('Own alerts'), value: namesOf(own) }];
    if (confirm === undefined) {
      return {
        title: msg('Are you sure?'),
        summary:
          what === 'place'
            ? msg(
                'This chat’s subscriptions, own alerts, silences, calls, watchlist, settings, API keys, unsent messages, delivery log and change log would be deleted. This cannot be undone.',
              )
            : msg(
                'Your name would be taken out of subscriptions, silences and records of changes, which stay without it, and your calls and own settings would be deleted.',
              ),
        facts: [...alertFacts, ...fileFacts],
        actions: [{ label: msg('Yes, forget'), command: `forget ${what} confirm=yes`, weight: 'danger' }],
      };
    }
    if (what === 'me') {
      const places = await store.forgetPerson(authorOf(context));
      return {
        title: msg('Your name is forgotten'),
        summary: msg('It stood in {places, plural, one {# place} other {# places}}.', { places }),
      };
    }
    const counts = await store.forgetPlace(caller.receiver);
    const deletedRows = Object.entries(counts).filter(([, rows]) => rows > 0);
    return {
      title: msg('This chat is forgotten'),
      summary: deletedRows.length === 0 ? msg('There was nothing to delete.') : msg('Deleted:'),
      facts: [
        ...deletedRows
          .filter(([table]) => table !== 'rule')
          .map(([table, rows]) => ({ name: names[table] ?? table, value: count(rows) })),
        ...alertFacts,
        ...fileFacts,
      ],
    };
  },
});

/** Lists the names of own alerts, 10 at most, and how many more there are. */
function namesOf(rules: readonly Rule[]): Text {
  const named = listOf(rules.slice(0, 10).map(ruleName));
  const more = rules.length - 10;
  return more <= 0 ? named : join([named, msg('… and {n} more', { n: more })], ' ');
}

const names: Readonly<Record<string, Text>> = {
  subscription: msg('Subscriptions'),
  silence: msg('Silences'),
  hook: msg('Hooks'),
  price_call: msg('Calls made'),
  watchlist: msg('Watchlists'),
  preferences: msg('Settings'),
  api_key: msg('API keys'),
  outbox: msg('Waiting notifications'),
  post: msg('Posts it could still edit'),
  hold: msg('Rate-limit pauses'),
  rest: msg('Holds while the bot could not post'),
  delivery: msg('Delivery log entries'),
  audit: msg('Change log entries'),
  message: msg('Console messages'),
};
