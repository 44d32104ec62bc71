import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = resolve(import.meta.dirname, '../src');

/** Plural folders: to each a file may be added, and none of its files knows another but the one with the type. */
const plugins: Readonly<Record<string, string | undefined>> = {
  detectors: 'detector.ts',
  commands: undefined,
};

/**
 * The rooms of the house, from the ground up: a folder under src with all that is in it, or a loose file. Each imports
 * from those before it alone, and of those what is said here: a room, or a part of it.
 */
const rooms: Readonly<Record<string, readonly string[]>> = {
  'old-node.js': [],
  'compile-cache.js': ['old-node.js'],
  runtime: [],
  // What is said to people, and how.
  language: ['runtime'],
  contract: [],
  alert: ['language', 'runtime/units.ts'],
  card: ['alert', 'language', 'runtime/statistics.ts'],
  chart: ['alert', 'card', 'language', 'runtime'],
  pace: ['runtime/clock.ts'],
  client: ['contract', 'runtime'],
  database: ['runtime'],
  service: ['contract', 'database', 'runtime'],
  detectors: ['alert', 'client', 'contract', 'language', 'runtime'],
  rules: [
    'alert',
    'client',
    'contract',
    'detectors/detector.ts',
    'detectors/kit/series.ts',
    'language',
    'runtime',
  ],
  record: ['alert', 'contract/data-client.ts', 'language', 'runtime'],
  // What others bring.
  hook: ['alert', 'language', 'runtime'],
  // It implements what those need who ask it, in the words that they choose.
  store: ['alert', 'database', 'hook', 'language', 'record/outcome-log.ts', 'rules/live.ts', 'runtime'],
  preview: [
    'alert',
    // By whose rule answers are kept, so that the past is asked as the present is.
    'client/cache.ts',
    'contract',
    'detectors/detector.ts',
    'language',
    'rules',
    'runtime',
  ],
  shell: [
    'alert',
    'card',
    'contract/data-client.ts',
    'language',
    'preview/preview.ts',
    'record/records.ts',
    'rules',
    'runtime',
    'store/store.ts',
  ],
  platforms: ['alert', 'card', 'hook/receive.ts', 'language', 'pace', 'runtime', 'shell'],
  pipeline: [
    'alert',
    'card',
    'contract/data-client.ts',
    'detectors/detector.ts',
    'language',
    'pace',
    'platforms/notifier.ts',
    'platforms/platform.ts',
    'runtime',
    'store/store.ts',
  ],
  commands: [
    'alert',
    'card',
    'client/funding-hours.ts',
    'client/funding-standings.ts',
    'contract',
    'hook/admit.ts',
    'language',
    'preview/preview.ts',
    'record',
    'rules',
    'runtime',
    'shell',
    'store/store.ts',
  ],
  // The page's own code: what else it has of others are types.
  web: [
    'alert/alert.ts',
    'card/render-json.ts',
    // What both painters draw.
    'chart/description.ts',
    'chart/model.ts',
    'chart/reader.ts',
    'chart/theme.ts',
    'chart/time-axis.ts',
    'chart/value.ts',
    // Its numbers are written as the cards’.
    'language/digits.ts',
    'language/format.ts',
    'language/text.ts',
    'language/time-format.ts',
    'language/typed-number.ts',
    'platforms/alert-feed.ts',
    'platforms/audit-table.ts',
    'platforms/board.ts',
    'platforms/past-series.ts',
    'platforms/record-table.ts',
    'platforms/rule-desk.ts',
    'platforms/web',
    'runtime/lengths.ts',
    'shell/command.ts',
  ],
  // The edge: the parts put together. It may import anything below.
  app: ['.'],
  'bot.ts': ['.'],
  'main.ts': ['.'],
};

/** What a room loads only through what it imports: a value import of a value import, to the end. */
const loadedThrough: Readonly<Record<string, readonly string[]>> = {
  // What an input of a command may name.
  platforms: ['rules'],
};

/** Packages that only these folders load, whoever else they are loaded through. */
const loadedBy: readonly (readonly [packages: RegExp, folders: readonly string[]])[] = [
  [/^(discord\.js|telegraf)/, ['platforms']],
  [/^(pg|kysely)/, ['database', 'service', 'store']],
  [/^fastify/, ['platforms', 'service']],
  [/^(echarts|@resvg)/, ['chart']],
  // By whoever has agents let in, and by nobody else.
  [/^@modelcontextprotocol/, ['runtime']],
];

interface Import {
  readonly from: string;
  readonly to: string;
  /** Something is there at run time: not types alone. */
  readonly value: boolean;
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.(?:js|tsx?)$/.test(file),
);

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
const folderOf = (file: string) => file.split('/')[0] ?? '';
const floors = Object.keys(rooms);
/** All but the edge, which loads everything. */
const inside = floors.filter((room) => !rooms[room]?.includes('.'));
const between = imports.filter(({ from, to }) => folderOf(from) !== folderOf(to) && !to.startsWith('..'));
/** Whether what a room is allowed covers this file. */
const covers = (may: string, file: string) => may === '.' || file === may || file.startsWith(`${may}/`);

describe('who may import whom', () => {
  it('every folder and loose file under src has its floor', () => {
    expect([...new Set(files.map(folderOf))].sort()).toEqual([...floors].sort());
    expect(floors.length).toBeLessThanOrEqual(26);
  });

  it('no room imports from one above it', () => {
    const up = between.filter(
      ({ from, to }) => floors.indexOf(folderOf(to)) > floors.indexOf(folderOf(from)),
    );
    expect(up).toEqual([]);
  });

  it('few rooms know each other', () => {
    const pairs = new Set(between.map(({ from, to }) => [folderOf(from), folderOf(to)].sort().join(' ')));
    expect(pairs.size).toBeLessThanOrEqual(132);
  });

  it.each(floors)('%s imports what it may', (room) => {
    const strangers = between
      .filter(({ from }) => folderOf(from) === room)
      .filter(({ to }) => !rooms[room]?.some((may) => covers(may, to)));
    expect(strangers).toEqual([]);
  });

  it('a permission that nobody uses is taken back', () => {
    const unused = Object.entries(rooms).flatMap(([room, rule]) =>
      rule
        .filter((may) => !between.some(({ from, to }) => folderOf(from) === room && covers(may, to)))
        .map((may) => `${room}: ${may}`),
    );
    expect(unused).toEqual([]);
  });

  it.each(inside)('%s loads what it may, and through it what is said here', (room) => {
    const own = files.filter((file) => folderOf(file) === room);
    const may = new Set(rooms[room]?.map((each) => each.split('/')[0]));
    const through = [...loaded(own)].filter((file) => /\.tsx?$/.test(file)).map(folderOf);
    const others = new Set(through.filter((each) => each !== room && !may.has(each)));
    expect([...others].sort()).toEqual(loadedThrough[room] ?? []);
  });

  it.each(loadedBy)('%s is loaded by no other folder', (pattern, folders) => {
    const loading = inside.filter((folder) => {
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
    const plugin = (file: string) => dirname(file) === folder && file !== `${folder}/${type}`;
    expect(imports.filter(({ from, to }) => plugin(from) && plugin(to))).toEqual([]);
  });

  it('platforms never import each other, and what they share knows none of them', () => {
    const platform = (file: string) => file.split('/').slice(0, -1).join('/');
    const strangers = imports
      .filter(({ from, to }) => folderOf(from) === 'platforms' && folderOf(to) === 'platforms')
      .filter(({ from, to }) => platform(to) !== 'platforms' && platform(from) !== platform(to));
    expect(strangers).toEqual([]);
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
    expect(using(/\bprocess\.(env|argv|exit|on|once|stdin|stdout|stderr)\b/)).toEqual([
      'main.ts',
      'old-node.js',
    ]);
  });

  it('only the clock reads the time of day', () => {
    expect(using(/\bDate\.now\(\)/)).toEqual(['runtime/clock.ts']);
  });
});

it('no file is past 300 lines', () => {
  const long = files.filter((file) => readFileSync(join(src, file), 'utf8').split('\n').length > 301);
  expect(long).toEqual([]);
});

describe('names', () => {
  it('an exported type name has one meaning', () => {
    const declared = new Map<string, string[]>();
    for (const file of files) {
      for (const [, name = ''] of readFileSync(join(src, file), 'utf8').matchAll(
        /^export (?:abstract )?(?:interface|type|class) (\w+)/gm,
      ))
        declared.set(name, [...(declared.get(name) ?? []), file]);
    }
    expect(declared.size).toBeGreaterThan(100);
    expect([...declared].filter(([, found]) => found.length > 1)).toEqual([]);
  });
});
