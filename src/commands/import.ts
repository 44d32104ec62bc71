import { z } from 'zod';
import { ruleName } from '../alert/rule.ts';
import { matcherText } from '../alert/subscription.ts';
import { UserError } from '../language/errors.ts';
import { listOf, msg, msgIn, typed } from '../language/text.ts';
import { samePreferences } from '../places/arrival.ts';
import { findAdditions, importPlace, readExport } from '../places/export-import.ts';
import { chosenFacts } from '../places/preferences.ts';
import { findSubscription } from '../places/subscriptions.ts';
import { compact } from '../runtime/compact.ts';
import { defineCommand } from '../shell/command.ts';
import { authorOf, editingOf } from '../shell/editing.ts';
import { confirm } from '../shell/input.ts';
import { issueText } from '../shell/issue.ts';
import { openSheet } from '../shell/sheet.ts';

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
    const facts = compact([
      addedSymbols.length > 0 && { name: msg('Added to the watchlist'), value: listOf(addedSymbols) },
      ...addedRules.map((rule) => ({ name: msg('New alert'), value: ruleName(rule) })),
      ...chosenFacts(imported.chosen),
    ]);
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

/** Characters of a text whose mistake is looked for: to find it takes much longer than to read the text. */
const maxSearched = 20_000;

/** What an id without quotation marks looks like that is larger than the exact numbers. */
const longId = /[:[,]\s*-?\d{16,}/;

/** Returns the value of a text in JSON or YAML. Throws UserError that names the line. */
function importedValue(given: string): unknown {
  const text = given.replace(/^\ufeff/, '');
  try {
    return longId.test(text) ? JSON.parse(text, exactId) : JSON.parse(text);
  } catch (cause) {
    const sheet = sheetOf(text);
    const value = sheet !== undefined && 'value' in sheet ? sheet.value : undefined;
    if (Array.isArray(value))
      throw new UserError(
        msg('That is a file for the folder of places: for a chat send what "{export}" gives.', {
          export: typed('export'),
        }),
        { cause },
      );
    if (typeof value === 'object' && value !== null) return value;
    throw new UserError(
      sheet === undefined
        ? msg('That is not valid JSON: send the file that "{export}" gave, or all of its text.', {
            export: typed('export'),
          })
        : msg(
            'That is not valid JSON (line {line}): send the file that "{export}" gave, or all of its text.',
            {
              export: typed('export'),
              line: String('value' in sheet ? 1 : (sheet[0]?.line ?? 1)),
            },
          ),
      { cause },
    );
  }
}

/** Undefined if the text is too large, or nested too deeply, to be looked through. */
function sheetOf(text: string): ReturnType<typeof openSheet> | undefined {
  if (text.length > maxSearched) return undefined;
  try {
    return openSheet('', text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Reviver of JSON.parse that keeps the digits of such an id. */
function exactId(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && context?.source !== undefined && /^-?\d+$/.test(context.source)
    ? context.source
    : value;
}
