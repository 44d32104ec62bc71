import { z } from 'zod';
import { ruleName } from '../alert/rule.ts';
import { matcherText } from '../alert/subscription.ts';
import { maxFollowedSymbols } from '../alert/watchlist.ts';
import { listOf, msg, msgIn, typed } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { confirm } from '../shell/input.ts';
import { putRule } from './kit/build-rule.ts';
import { change } from './kit/change.ts';
import { ownWatchlist, watchlistRecord } from './kit/own-watchlist.ts';
import { newRules } from './kit/rule-transfer.ts';
import { chosenFacts, setPreferences } from './kit/set-preferences.ts';
import { samePreferences } from './kit/settings.ts';
import { findSubscription, type Put, proveReach, putSubscription } from './kit/subscription-preferences.ts';
import { readImport } from './kit/transfer.ts';

export default defineCommand({
  name: 'import',
  topic: 'chat',
  description: msg('Add what "{export}" wrote to this chat; shows what would change first. Removes nothing', {
    export: typed('export'),
  }),
  takes: 'manage',
  input: z.object({
    file: z.string().trim().min(2).meta({ as: 'file' }).describe('The file that "export" gave, or its text'),
    confirm: confirm.describe('yes, to do it'),
  }),
  async run({ file, confirm }, context) {
    const { store, caller } = context;
    const { wishes, rules, watchlist, chosen } = readImport(file, context);
    const followed = await store.watchlist.of(caller.receiver);
    const addedSymbols = watchlist.filter((symbol) => !followed.includes(symbol));
    if (addedSymbols.length > 0) await ownWatchlist({ caller, places: store });
    const addedRules = newRules(rules, await store.rules.of(caller.receiver));
    const facts = [
      ...(addedSymbols.length === 0
        ? []
        : [{ name: msg('Added to the watchlist'), value: listOf(addedSymbols) }]),
      ...addedRules.map((rule) => ({ name: msg('New alert'), value: ruleName(rule) })),
      ...chosenFacts(chosen),
    ];
    if (confirm === undefined) {
      const existing = await store.subscriptions.of(caller.receiver);
      const rows = wishes.map((wish) => {
        const before = findSubscription(wish.matcher, existing);
        if (before === undefined) return [msg('new'), matcherText(wish.matcher, context)];
        const same = samePreferences({ ...before, ...wish.preferences }, before);
        return [
          same ? msg('unchanged') : msg('changes {id}', { id: before.id }),
          matcherText(wish.matcher, context),
        ];
      });
      return {
        title: msg('Preview of the import'),
        summary: msg('Nothing has changed yet. Send the same again with confirm=yes.'),
        facts,
        ...(rows.length > 0 && { table: { columns: [msgIn('import', 'What'), msg('Subscription')], rows } }),
      };
    }
    if (wishes.length > 0 || addedRules.length > 0) await proveReach(context);
    const puts = await change(context, async (places, record) => {
      const puts: Put[] = [];
      for (const wish of wishes) puts.push(await putSubscription(wish, { ...context, places, record }));
      for (const rule of newRules(rules, await places.rules.of(caller.receiver)))
        await putRule(rule, { places, record });
      if (addedSymbols.length > 0) {
        const before = await ownWatchlist({ caller, places });
        const after = [...new Set([...before, ...addedSymbols])].slice(0, maxFollowedSymbols);
        await places.watchlist.set(caller.receiver, after);
        record(watchlistRecord(after));
      }
      await setPreferences(caller.receiver, { chosen, places, record });
      return puts;
    });
    const fresh = puts.filter(({ before }) => before === null).length;
    return {
      title: msg('Imported'),
      summary: msg('{fresh, number} new, {others, number} updated or unchanged.', {
        fresh,
        others: puts.length - fresh,
      }),
      facts,
    };
  },
});
