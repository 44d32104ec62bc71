import { z } from 'zod';
import { count } from '../language/format.ts';
import { msg, typed } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { writeExport, writeFileExport } from './kit/transfer.ts';

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
    const [subscriptions, rules, watchlist, listFile, preferences] = await Promise.all([
      store.subscriptions.of(caller.receiver),
      store.rules.of(caller.receiver),
      store.watchlist.of(caller.receiver),
      store.watchlist.fileOf(caller.receiver),
      store.preferences.of(caller.receiver),
    ]);
    if (as === 'yaml') {
      const text = writeFileExport(caller, {
        subscriptions,
        rules,
        watchlist: { symbols: watchlist, ...(listFile !== undefined && { file: listFile }) },
      });
      return {
        title: msg('Export'),
        summary: msg('For the folder that the setting "places" names; what files set already is left out.'),
        file: { name: 'tocsin.yaml', text },
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
      file: { name: 'tocsin.json', text: writeExport(subscriptions, { rules, watchlist, preferences }) },
    };
  },
});
