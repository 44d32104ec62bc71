import { stringify } from 'yaml';
import { z } from 'zod';
import { count } from '../language/format.ts';
import { msg, typed } from '../language/text.ts';
import { exportOf, fileEntriesOf, readPlace } from '../places/export-import.ts';
import { defineCommand } from '../shell/command.ts';

export default defineCommand({
  name: 'export',
  topic: 'chat',
  description: msg(
    'Subscriptions, watchlist and settings of this chat as a file, for "{import}" here or elsewhere',
    { import: typed('import') },
  ),
  personal: true,
  input: z.object({
    as: z
      .enum(['json', 'yaml'])
      .default('json')
      .describe('json for import; yaml for a file beside the bot’s configuration'),
  }),
  async run({ as }, { store, caller }) {
    const content = await readPlace(caller.receiver, store);
    const { subscriptions, rules, watchlist } = content;
    if (as === 'yaml') {
      // The address may be a secret where the export is read.
      const at = caller.answeredElsewhere === true ? 'ADDRESS' : caller.receiver;
      const entries = fileEntriesOf(content, await store.watchlist.fileOf(caller.receiver));
      return {
        title: msg('Export'),
        summary: msg('For the folder that the setting "places" names; what files set already is left out.'),
        file: { name: 'tocsin.yaml', text: stringify([{ at, ...entries }]) },
      };
    }
    return {
      title: msg('Export'),
      summary: msg('Everything is in the file: "{import}" reads it.', { import: typed('import') }),
      facts: [
        { name: msg('Subscriptions'), value: count(subscriptions.length) },
        { name: msg('Own alerts'), value: count(rules.length) },
        { name: msg('Markets in the watchlist'), value: count(watchlist.length) },
      ],
      // On one line, so that it can be typed on platforms where no file can be sent.
      file: { name: 'tocsin.json', text: JSON.stringify(exportOf(content)) },
    };
  },
});
