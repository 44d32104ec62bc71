/** Checks that adding a language takes one file. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readCatalogues } from '#src/language/catalogue.ts';
import { languages } from '#src/language/languages.ts';
import { complete } from './complete.ts';

const folder = mkdtempSync(join(tmpdir(), 'tocsin-language-'));
afterAll(() => rmSync(folder, { recursive: true }));

const swedish = {
  about: {
    name: 'Svenska',
    translated: 'machine',
    locale: 'sv-SE',
    units: { d: '# dygn', h: '# tim', min: '# min', s: '# sek' },
  },
  labels: { RISK_ON: 'risktagande' },
  menu: { commands: { help: 'hjälp' } },
  typed: { settings: 'språk tidszon' },
  messages: {
    'All commands, or one explained': 'Alla kommandon, eller ett förklarat',
    'All resolved.': '',
    'Nothing has happened yet': 'Inget har hänt än',
    '{name}, machine-translated': '{name}, maskinöversatt',
    '{all, plural, one {# feed fresh} other {# feeds fresh}}':
      '{all, plural, one {# färsk källa} other {# färska källor}}',
    '{n, plural, one {# alert} other {# alerts}}: {kinds}':
      '{n, plural, one {# varning} other {# varningar}}: {kinds}',
  },
};
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

/** Runs a copy of the bot’s sources to which only this catalogue was added. Returns the texts it shows. */
function saidWith(catalogue: object) {
  const [root, copy] = [resolve(import.meta.dirname, '../..'), join(folder, 'copy')];
  for (const path of ['src', 'package.json', 'test/language/said-by.ts'])
    cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  writeFileSync(join(copy, 'src/language/catalogues/sv.json'), JSON.stringify(catalogue));
  const { PATH } = process.env;
  const script = join(copy, 'test/language/said-by.ts');
  return JSON.parse(execFileSync(process.execPath, [script], { encoding: 'utf8', env: { PATH } }));
}

describe('a language is one file in the folder of catalogues', () => {
  const added = saidWith(swedish);

  it('answers come in it, and in English where it has no translation', () => {
    expect(added.said).toEqual([
      '2 varningar: Risktagande',
      'All resolved.',
      'call-heavy',
      '1 dygn 1 tim',
      '0,5',
    ]);
  });

  it('can be chosen by name, and its names of commands can be typed', () => {
    expect(added.languages).toEqual([...new Set([...languages, 'sv'])].sort());
    expect(added.name).toBe('Svenska, maskinöversatt');
    expect(added.choices).toEqual(added.languages);
    expect(added.understood).toEqual(['help', 'settings']);
  });

  it('is offered in Discord, Telegram and on the page', () => {
    expect(added.slash).toMatchObject([
      {
        name_localizations: { 'sv-SE': 'hjälp' },
        description_localizations: { 'sv-SE': 'Alla kommandon, eller ett förklarat' },
      },
    ]);
    expect(added.menus).toContainEqual({
      language_code: 'sv',
      commands: [
        { command: 'help', description: 'Alla kommandon, eller ett förklarat' },
        { command: 'settings', description: expect.stringMatching(/^Language, time zone/) },
      ],
    });
    expect(JSON.stringify(added.words)).toContain('färska källor');
    expect(added.page).toBe('<html lang="sv">Inget har hänt än Send');
  });
});

describe('`npm run translations`', () => {
  const wanted = { menu: { commands: ['help', 'why'] }, messages: ['All resolved.', 'Alert'] };

  it('adds what is missing, sorted and empty, and keeps existing translations', () => {
    const { catalogue, missing } = complete(
      { messages: { 'All resolved.': 'Alla avslutade.' }, about: { name: 'Svenska' } },
      wanted,
    );
    expect(JSON.stringify(catalogue)).toBe(
      '{"about":{"name":"Svenska"},"menu":{"commands":{"help":"","why":""}},"messages":{"Alert":"","All resolved.":"Alla avslutade."}}',
    );
    expect(missing).toEqual(['menu.commands.help', 'menu.commands.why', 'messages.Alert']);
  });

  it('lists translations that nothing uses', () => {
    const given = { menu: { commands: { help: 'hjälp', gone: 'borta' } }, messages: { Gone: 'Borta' } };
    expect(complete(given, wanted).unused).toEqual(['menu.commands.gone', 'messages.Gone']);
  });
});

describe('an invalid catalogue is refused with its file and the mistake', () => {
  it.each([
    ['what is no JSON', '{', /xx\.json: .*expected object/s],
    ['a locale nobody knows', '{"about":{"name":"X","locale":"nowhere-at-all-x"}}', /about\.locale/],
    ['a key of ours misspelt', '{"about":{"name":"X","locale":"sv"},"mesages":{}}', /mesages/],
    ['a text that is none', '{"about":{"name":"X","locale":"sv"},"messages":{"Alert":1}}', /messages\.Alert/],
    [
      'a script that Unicode lacks',
      JSON.stringify({
        about: { name: 'X', locale: 'sv', fonts: { script: 'Runes', regular: 'r', bold: 'b' } },
      }),
      /about\.fonts\.script/,
    ],
  ])('%s', (_, text, problem) => {
    write('xx.json', text);
    expect(() => readCatalogues(folder)).toThrow(problem);
    rmSync(join(folder, 'xx.json'));
  });

  it('a file name that is no language code is refused', () => {
    write('xx-YY.json', '{"about":{"name":"X","locale":"sv"}}');
    expect(() => readCatalogues(folder)).toThrow(/xx-YY\.json: name it by the ISO 639 code/);
    rmSync(join(folder, 'xx-YY.json'));
  });
});
