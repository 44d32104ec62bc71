import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = resolve(import.meta.dirname, '../src');

/** Plural folders: to each a file may be added, and none of its files knows another but the one with the type. */
const plugins: Readonly<Record<string, string>> = {
  detectors: 'detector.ts',
  notifiers: 'notifier.ts',
  commands: 'command.ts',
};

/**
 * Which folder may import which: a folder, or one file of it. Files directly under src are the edge (the command
 * line, the compositions, the configuration) and may import anything.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  // What is said to people, and how: for everyone.
  language: ['runtime/units.ts'],
  runtime: ['language'],
  alert: ['language', 'contract/settlements.ts', 'runtime'],
  card: ['language', 'alert'],
  chart: ['language', 'alert', 'card', 'runtime'],
  client: ['contract', 'runtime'],
  database: ['runtime'],
  store: ['language', 'alert', 'database', 'runtime'],
  pace: ['runtime'],
  record: ['language', 'alert', 'client/client.ts', 'store/store.ts', 'runtime'],
  // A platform's API, as its notifier and its place to talk both use it.
  discord: ['language', 'card', 'runtime'],
  detectors: [
    'language',
    'alert',
    'client/client.ts',
    'client/each.ts',
    'client/funding-hours.ts',
    'contract',
    'runtime',
  ],
  telegram: ['language', 'card', 'runtime'],
  notifiers: ['language', 'alert', 'card', 'discord', 'pace', 'runtime', 'telegram'],
  commands: [
    'language',
    'alert',
    'card',
    'client/client.ts',
    'client/funding-hours.ts',
    'command',
    'contract',
    'record',
    'rules',
    'store/store.ts',
    'runtime',
    'preview/preview.ts',
  ],
  command: [
    'language',
    'alert',
    'card',
    'client/funding-hours.ts',
    'commands/command.ts',
    'preview/preview.ts',
    'rules',
    'store/store.ts',
    'runtime',
  ],
  pipeline: [
    'language',
    'alert',
    'card',
    'client/client.ts',
    'store/store.ts',
    'pace',
    'notifiers/notifier.ts',
    'detectors/detector.ts',
    'runtime',
  ],
  replay: [
    'language',
    'alert',
    // By whose rule answers are kept, so that the past is asked as the present is.
    'client/cache.ts',
    'client/client.ts',
    'contract',
    'detectors/detector.ts',
    'runtime',
  ],
  preview: ['language', 'alert', 'rules/seen.ts', 'runtime'],
  rules: [
    'language',
    'alert',
    'client/client.ts',
    'client/funding-hours.ts',
    'command/closest.ts',
    'contract',
    'detectors/detector.ts',
    'runtime',
  ],
  platforms: [
    'language',
    'alert',
    'card',
    'command',
    'commands/command.ts',
    'discord',
    'pace',
    'runtime',
    'telegram',
  ],
  service: ['contract', 'database', 'runtime'],
  web: ['alert', 'card', 'commands/command.ts', 'platforms/web/message.ts'],
};

/** What a folder loads only through what it imports: a value import of a value import, to the end. */
const loadedThrough: Readonly<Record<string, readonly string[]>> = {
  card: ['runtime'],
  client: ['language'],
  command: ['contract'],
  database: ['language'],
  platforms: ['rules'],
  // By way of the errors, whose texts are said to people.
  service: ['language'],
};

/** Packages that only these folders load, whoever else they are loaded through. */
const loadedBy: readonly (readonly [packages: RegExp, folders: readonly string[]])[] = [
  [/^(discord\.js|telegraf)/, ['platforms']],
  [/^(pg|kysely)/, ['database', 'service', 'store']],
  [/^fastify/, ['platforms', 'service']],
  [/^(echarts|@resvg)/, ['chart']],
];

interface Import {
  readonly from: string;
  readonly to: string;
  /** Something is there at run time: not types alone. */
  readonly value: boolean;
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

const everyImport = files.flatMap((file) =>
  [
    ...readFileSync(join(src, file), 'utf8').matchAll(
      /(?:^(?:import|export)(?<types> type)? (?<names>[^;']*?) ?from |^import |import\s*\(\s*)'(?<target>[^']+)'/gm,
    ),
  ].map(({ 0: whole, groups = {} }) => {
    const { types, names = '', target = '' }: Partial<Record<string, string>> = groups;
    const each = /^\{(.*)\}$/s
      .exec(names)?.[1]
      ?.split(',')
      .filter((name) => name.trim() !== '');
    // Of what is imported when it is needed, nothing is loaded with the file.
    const later = whole.endsWith(`('${target}'`);
    const value = types === undefined && !later && each?.every((name) => /^\s*type /.test(name)) !== true;
    return { from: file, target, value };
  }),
);
const imports: readonly Import[] = everyImport
  .filter(({ target }) => target.startsWith('.'))
  .map(({ from, target, value }) => ({
    from,
    value,
    to: relative(src, resolve(src, dirname(from), target)),
  }));
const packages = everyImport
  .filter(({ target }) => !/^[.#]/.test(target))
  .map(({ from, target, value }) => ({ from, name: target, value }));

const loads = Map.groupBy(
  imports.filter(({ value }) => value),
  ({ from }) => from,
);
/** These files and every file they load, to the end. */
function loaded(begin: readonly string[]): ReadonlySet<string> {
  const seen = new Set(begin);
  for (const file of seen) for (const { to } of loads.get(file) ?? []) seen.add(to);
  return seen;
}
const folderOf = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : '');

describe('who may import whom', () => {
  it.each([...new Set(files.map(folderOf))].filter((folder) => folder !== '').sort())(
    '%s keeps to its rule',
    (folder) => {
      const rule = allowed[folder];
      expect(rule, `say in this test what ${folder} may import`).toBeDefined();
      const strangers = imports
        .filter(
          ({ from, to }) =>
            folderOf(from) === folder && folderOf(to) !== folder && to.startsWith('..') === false,
        )
        .filter(({ to }) => !(rule ?? []).some((may) => to === may || to.startsWith(`${may}/`)));
      expect(strangers).toEqual([]);
    },
  );

  it('a permission that nobody uses is taken back', () => {
    const unused = Object.entries(allowed).flatMap(([folder, rule]) =>
      rule
        .filter(
          (may) =>
            !imports.some(
              ({ from, to }) => folderOf(from) === folder && (to === may || to.startsWith(`${may}/`)),
            ),
        )
        .map((may) => `${folder}: ${may}`),
    );
    expect(unused).toEqual([]);
  });

  it.each(Object.keys(allowed).sort())('%s loads what it may, and through it what is said here', (folder) => {
    const own = files.filter((file) => folderOf(file) === folder);
    const may = new Set(allowed[folder]?.map((each) => each.split('/')[0]));
    const through = [...loaded(own)].filter((file) => file.endsWith('.ts')).map(folderOf);
    const others = new Set(through.filter((each) => each !== folder && !may.has(each)));
    expect([...others].sort()).toEqual(loadedThrough[folder] ?? []);
  });

  it.each(loadedBy)('%s is loaded by no other folder', (pattern, folders) => {
    const loading = Object.keys(allowed).filter((folder) => {
      const all = loaded(files.filter((file) => folderOf(file) === folder));
      return packages.some(({ from, name, value }) => value && all.has(from) && pattern.test(name));
    });
    expect(loading.sort()).toEqual(folders);
  });

  it('no file loads itself through others', () => {
    const circles = files.filter((file) => loaded((loads.get(file) ?? []).map(({ to }) => to)).has(file));
    expect(circles).toEqual([]);
  });

  it('contract imports zod and nothing else', () => {
    const strangers = packages.filter(({ from, name }) => folderOf(from) === 'contract' && name !== 'zod');
    expect(strangers).toEqual([]);
  });

  it.each(Object.entries(plugins))('plug-ins in %s never import each other', (folder, type) => {
    const between = imports.filter(
      ({ from, to }) => folderOf(from) === folder && folderOf(to) === folder && to !== `${folder}/${type}`,
    );
    expect(between).toEqual([]);
  });

  it('discord.js and telegraf are known to their platforms alone', () => {
    const strangers = packages.filter(
      ({ from, name }) => /^(discord\.js|telegraf)/.test(name) && folderOf(from) !== 'platforms',
    );
    expect(strangers).toEqual([]);
  });
});

describe('the edges', () => {
  const using = (pattern: RegExp) =>
    files
      .filter((file) => pattern.test(readFileSync(join(src, file), 'utf8')))
      .filter((file) => !file.startsWith('web/'));

  it('only main.ts touches the process’s arguments, environment, signals and streams', () => {
    expect(using(/\bprocess\.(env|argv|exit|on|once|stdin|stdout|stderr)\b/)).toEqual(['main.ts']);
  });

  it('only the clock reads the time of day', () => {
    expect(using(/\bDate\.now\(\)/)).toEqual(['runtime/clock.ts']);
  });
});

it('no file is past 300 lines', () => {
  const long = files.filter((file) => readFileSync(join(src, file), 'utf8').split('\n').length > 301);
  expect(long).toEqual([]);
});
