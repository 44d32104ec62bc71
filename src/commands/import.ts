import { z } from 'zod';
import { ruleName } from '../alert/rule.ts';
import { matcherText } from '../alert/subscription.ts';
import { listOf, msg, msgIn, typed } from '../language/text.ts';
import { samePreferences } from '../places/arrival.ts';
import { findAdditions, importPlace, readExport } from '../places/export-import.ts';
import { chosenFacts } from '../places/preferences.ts';
import { findSubscription } from '../places/subscriptions.ts';
import { defineCommand } from '../shell/command.ts';
import { authorOf, editingOf } from '../shell/editing.ts';
import { confirm } from '../shell/input.ts';
import { issueText } from '../shell/issue.ts';
import { importedValue } from './kit/import-text.ts';

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
    const { store, caller, kinds, listed, rich } = context;
    const author = authorOf(context);
    const imported = readExport(
      importedValue(file),
      { author, kinds, universe: listed, roleOf: caller.roleOf, rich: rich !== undefined },
      issueText,
    );
    const { addedSymbols, addedRules } = await findAdditions(imported, store, author);
    const facts = [
      ...(addedSymbols.length === 0
        ? []
        : [{ name: msg('Added to the watchlist'), value: listOf(addedSymbols) }]),
      ...addedRules.map((rule) => ({ name: msg('New alert'), value: ruleName(rule) })),
      ...chosenFacts(imported.chosen),
    ];
    if (confirm === undefined) {
      const existing = await store.subscriptions.of(caller.receiver);
      const rows = imported.wishes.map((wish) => {
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
        table: { columns: [msgIn('import', 'What'), msg('Subscription')], rows },
      };
    }
    const puts = await importPlace(imported, editingOf(context));
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
