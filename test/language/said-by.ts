/** Prints what the bot of these sources says in a language: run in a copy that has one more file. */
import { languageOf, languages } from '#src/language/languages.ts';
import { languageName, say } from '#src/language/say.ts';
import { msg, type Text } from '#src/language/text.ts';
import { slashCommands } from '#src/platforms/discord/slash.ts';
import { publishMenus } from '#src/platforms/telegram/menu.ts';
import { sayPage, wordsIn } from '#src/platforms/web/page.ts';
import { fieldsOf } from '#src/shell/fields.ts';
import { commandNamed } from '#src/shell/vocabulary.ts';

const [help, settings] = await Promise.all(
  ['help', 'settings'].map(async (name) => (await import(`#src/commands/${name}.ts`)).default),
);
const reader = { language: languageOf('sv-FI') ?? 'en', timeZone: 'UTC' };
const texts: readonly Text[] = [
  msg('{n, plural, one {# alert} other {# alerts}}: {kinds}', {
    n: 2,
    kinds: { label: 'RISK_ON', capital: true },
  }),
  msg('All resolved.'),
  { label: 'BULLISH_OPTIONS', capital: false },
  { span: 90_061_000 },
  { number: 0.5, as: {} },
];
const menus: unknown[] = [];
const call = async (_: string, { payload }: { readonly payload: object }) => {
  menus.push(payload);
  return undefined as never;
};
await publishMenus(
  { call },
  { commands: [help, settings], places: { recall: async () => undefined, remember: async () => {} } },
  { botId: '1', signal: new AbortController().signal },
);
const feeds = '{all, plural, one {# feed fresh} other {# feeds fresh}}';
console.log(
  JSON.stringify({
    languages,
    name: languageName('sv'),
    said: texts.map((text) => say(text, reader)),
    slash: slashCommands([help]),
    menus,
    choices: fieldsOf(settings).find(({ key }) => key === 'language')?.choices,
    understood: ['hjälp', 'tidszon'].map((word) => commandNamed(word, [settings, help])?.name),
    words: wordsIn('sv', [feeds]).messages,
    page: sayPage('<html lang="en">{{Nothing has happened yet}} {{Send}}', {
      pageMessages: [],
      language: 'sv',
    }),
  }),
);
