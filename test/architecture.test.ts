import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { base, raised } from './line-budget.ts';

const src = resolve(import.meta.dirname, '../src');

/** Folders of plug-ins, to which files may be added. Plug-ins do not import each other; the named file has their type. */
const plugins: Readonly<Record<string, string | undefined>> = {
  detectors: 'detector.ts',
  commands: undefined,
};

/**
 * The layers from the bottom up: a folder under src with all its files, or a single file. Each may import only from the layers
 * before it, and of these only what is listed: a layer, or a part of it.
 */
const rooms: Readonly<Record<string, readonly string[]>> = {
  runtime: [],
  // The texts for people, and how they are rendered.
  language: ['runtime'],
  contract: [],
  alert: ['language', 'runtime/units.ts'],
  card: ['alert', 'language', 'runtime/statistics.ts'],
  chart: ['alert', 'card', 'language', 'runtime'],
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
    // Which exchanges' liquidations are counted is said by bursts and own alerts alike.
    'detectors/kit/tape.ts',
    'language',
    'runtime',
  ],
  record: ['alert', 'contract/data-client.ts', 'language', 'runtime'],
  // Alerts received from other programs.
  hook: ['alert', 'language', 'runtime'],
  // The store implements the interfaces that its users define.
  store: ['alert', 'database', 'hook', 'language', 'record/outcome-log.ts', 'rules/live.ts', 'runtime'],
  preview: [
    'alert',
    // The rule by which responses are cached, so that the replay requests data as the live bot does.
    'client/cache.ts',
    'contract',
    'detectors/detector.ts',
    'language',
    'rules',
    'runtime',
  ],
  // What a place may have, and its limits. It renders nothing, and knows neither lines nor callers.
  places: [
    'alert',
    'hook/admit.ts',
    'hook/inbox.ts',
    'language',
    'rules/compile.ts',
    'rules/decides.ts',
    'rules/expression.ts',
    'rules/simple.ts',
    'rules/words.ts',
    'runtime/liquidation-price.ts',
    'runtime/units.ts',
    'store/ports.ts',
  ],
  shell: [
    'alert',
    'card',
    'contract/data-client.ts',
    'language',
    'places',
    'preview/preview.ts',
    'record/records.ts',
    'rules',
    'runtime',
    'store/ports.ts',
  ],
  platforms: ['alert', 'card', 'hook/receive.ts', 'language', 'runtime', 'shell'],
  pipeline: [
    'alert',
    'card',
    'contract',
    'detectors/detector.ts',
    'language',
    'platforms/notifier.ts',
    'platforms/platform.ts',
    'runtime',
    'store/ports.ts',
  ],
  commands: [
    'alert',
    'card',
    'client/all-liquidations.ts',
    'client/funding-hours.ts',
    'client/funding-standings.ts',
    'contract',
    'hook/seen-body.ts',
    'language',
    'places',
    'preview/preview.ts',
    'record',
    'rules',
    'runtime',
    'shell',
    'store/ports.ts',
  ],
  // The page's own code. Everything else it imports is only types.
  web: [
    'alert/presets.ts',
    // The level at which an own alert ends, as the bot computes it.
    'alert/slack.ts',
    'card/render-json.ts',
    // Charts are drawn on the page and for pictures by the same code.
    'chart/description.ts',
    'chart/icon.ts',
    'chart/model.ts',
    'chart/panels.ts',
    'chart/paths.ts',
    'chart/reader.ts',
    'chart/shape.ts',
    'chart/theme.ts',
    'chart/value.ts',
    // Numbers are formatted as on cards.
    'language/digits.ts',
    'language/format.ts',
    'language/text.ts',
    'language/time-format.ts',
    'language/typed-number.ts',
    // What the service worker is sent.
    'platforms/push/notifier.ts',
    'platforms/web',
    'runtime/lengths.ts',
    // Charts are named by what they cover, as on cards.
    'shell/connecting.ts',
    'shell/command.ts',
  ],
  // The parts are put together here, so everything below may be imported.
  app: ['.'],
};

/** What a layer loads only indirectly, through chains of value imports. */
const loadedThrough: Readonly<Record<string, readonly string[]>> = {
  // The values that an input of a command may have.
  platforms: ['places', 'rules'],
};

/** Packages that only these folders may load, even indirectly. */
const loadedBy: readonly (readonly [packages: RegExp, folders: readonly string[]])[] = [
  [/^(discord\.js|telegraf)/, ['platforms']],
  [/^(pg|kysely)/, ['database', 'service', 'store']],
  [/^fastify/, ['platforms', 'service']],
  [/^@resvg/, ['chart']],
  // Loaded only if MCP is turned on.
  [/^@modelcontextprotocol/, ['runtime']],
];

interface Import {
  readonly from: string;
  readonly to: string;
  /** Whether anything is imported at run time: not only types. */
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
    // A dynamic import is not loaded together with its file.
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
/** Returns these files and all files that they load, directly or indirectly. */
function loaded(begin: readonly string[]): ReadonlySet<string> {
  const seen = new Set(begin);
  for (const file of seen) for (const { to } of loads.get(file) ?? []) seen.add(to);
  return seen;
}
const folderOf = (file: string) => file.split('/')[0] ?? '';
const floors = Object.keys(rooms);
/** All layers except those that may import everything. */
const inside = floors.filter((room) => !rooms[room]?.includes('.'));
const between = imports.filter(({ from, to }) => folderOf(from) !== folderOf(to) && !to.startsWith('..'));
/** Tells whether an allowed layer or part includes this file. */
const covers = (may: string, file: string) => may === '.' || file === may || file.startsWith(`${may}/`);

describe('imports between layers', () => {
  it('every folder and single file under src has its layer', () => {
    expect([...new Set(files.map(folderOf))].sort()).toEqual([...floors].sort());
    expect(floors.length).toBeLessThanOrEqual(23);
  });

  it('no layer imports from a layer above it', () => {
    const up = between.filter(
      ({ from, to }) => floors.indexOf(folderOf(to)) > floors.indexOf(folderOf(from)),
    );
    expect(up).toEqual([]);
  });

  it('docs/architecture.md has a row for each layer, with its imports; `npm run generate` writes it', async () => {
    const page = join(src, '../docs/architecture.md');
    const table = /(?<=^\| folder \|.*\n\|[-|]*\n)(?:\|.*\n)*/m;
    const text = readFileSync(page, 'utf8');
    const [before = ''] = table.exec(text) ?? [];
    const rows = Object.entries(rooms).map(([room, parts]) => {
      const what = before.match(new RegExp(`^\\| \`src/${room}\` \\| (.*?) \\|`, 'm'))?.[1] ?? '?';
      const from = new Set(parts.map((part) => `\`${folderOf(part)}\``));
      const named = parts.includes('.') ? 'all' : [...from].join(', ') || '–';
      return `| \`src/${room}\` | ${what} | ${named} |\n`;
    });
    await expect(text.replace(table, () => rows.join(''))).toMatchFileSnapshot(page);
    expect(rows.filter((row) => row.includes('| ? |'))).toEqual([]);
  });

  it('the number of pairs of layers with imports is limited', () => {
    const pairs = new Set(between.map(({ from, to }) => [folderOf(from), folderOf(to)].sort().join(' ')));
    expect(pairs.size).toBeLessThanOrEqual(120);
  });

  it('the longest way down from layer to layer has at most eleven floors', () => {
    const heights = new Map<string, number>();
    for (const room of floors) {
      const below = between.filter(({ from }) => folderOf(from) === room).map(({ to }) => folderOf(to));
      heights.set(room, 1 + Math.max(0, ...below.map((each) => heights.get(each) ?? 0)));
    }
    expect(Math.max(...heights.values())).toBeLessThanOrEqual(11);
  });

  it('the HTTP API and the page stand on the domain, and not on a command', () => {
    const isCommand = (file: string) => dirname(file) === 'commands';
    expect(imports.filter(({ from, to }) => from.startsWith('app/console/') && isCommand(to))).toEqual([]);
  });

  it.each(floors)('%s imports only what it may', (room) => {
    const strangers = between
      .filter(({ from }) => folderOf(from) === room)
      .filter(({ to }) => !rooms[room]?.some((may) => covers(may, to)));
    expect(strangers).toEqual([]);
  });

  it('every permission is used', () => {
    const unused = Object.entries(rooms).flatMap(([room, rule]) =>
      rule
        .filter((may) => !between.some(({ from, to }) => folderOf(from) === room && covers(may, to)))
        .map((may) => `${room}: ${may}`),
    );
    expect(unused).toEqual([]);
  });

  it.each(inside)('%s loads only what it may, and indirectly only what is listed', (room) => {
    const own = files.filter((file) => folderOf(file) === room);
    const may = new Set(rooms[room]?.map((each) => each.split('/')[0]));
    const through = [...loaded(own)].filter((file) => /\.tsx?$/.test(file)).map(folderOf);
    const others = new Set(through.filter((each) => each !== room && !may.has(each)));
    expect([...others].sort()).toEqual(loadedThrough[room] ?? []);
  });

  it.each(loadedBy)('only the listed folders load %s', (pattern, folders) => {
    const loading = inside.filter((folder) => {
      const all = loaded(files.filter((file) => folderOf(file) === folder));
      return packages.some(({ from, name, value }) => value && all.has(from) && pattern.test(name));
    });
    expect(loading.sort()).toEqual(folders);
  });

  it('there are no import cycles', () => {
    const circles = files.filter((file) => loaded((loads.get(file) ?? []).map(({ to }) => to)).has(file));
    expect(circles).toEqual([]);
  });

  it('the contract imports zod and nothing else', () => {
    const strangers = packages.filter(({ from, name }) => folderOf(from) === 'contract' && name !== 'zod');
    expect(strangers).toEqual([]);
  });

  it.each(Object.entries(plugins))('plug-ins in %s never import each other', (folder, type) => {
    const plugin = (file: string) => dirname(file) === folder && file !== `${folder}/${type}`;
    expect(imports.filter(({ from, to }) => plugin(from) && plugin(to))).toEqual([]);
  });

  it('platforms never import each other, and their shared files import none of them', () => {
    const platform = (file: string) => file.split('/').slice(0, -1).slice(0, 2).join('/');
    const strangers = imports
      .filter(({ from, to }) => folderOf(from) === 'platforms' && folderOf(to) === 'platforms')
      .filter(({ from, to }) => platform(to) !== 'platforms' && platform(from) !== platform(to));
    expect(strangers).toEqual([]);
  });

  it('only their platforms import discord.js and telegraf', () => {
    const strangers = packages.filter(
      ({ from, name }) => /^(discord\.js|telegraf)/.test(name) && folderOf(from) !== 'platforms',
    );
    expect(strangers).toEqual([]);
  });
});

/** The floor below: how many rooms a folder may have, arrows between them, and files beside them. */
const inner: Readonly<
  Record<string, { readonly rooms: number; readonly arrows: number; readonly loose: number }>
> = {
  service: { rooms: 12, arrows: 50, loose: 0 },
  app: { rooms: 4, arrows: 12, loose: 30 },
  store: { rooms: 7, arrows: 12, loose: 6 },
  // A collection: a platform more is a folder more.
  platforms: { rooms: Number.POSITIVE_INFINITY, arrows: 0, loose: 9 },
};

describe.each(Object.entries(inner))('inside %s', (folder, most) => {
  const own = files.filter((file) => folderOf(file) === folder);
  /** Returns the room of a file; undefined for one beside the rooms. */
  const roomOf = (file: string) => file.split('/').slice(1, -1)[0];
  const arrows = new Set(
    imports
      .filter(({ from, to }) => folderOf(from) === folder && folderOf(to) === folder)
      .map(({ from, to }) => [roomOf(from), roomOf(to)])
      .filter(([from, to]) => from !== undefined && to !== undefined && from !== to)
      .map((pair) => pair.join(' ')),
  );

  it('the number of rooms, of arrows between them and of files beside them is limited', () => {
    const rooms = new Set(own.map(roomOf).filter((room) => room !== undefined));
    expect(rooms.size).toBeLessThanOrEqual(most.rooms);
    expect(arrows.size).toBeLessThanOrEqual(most.arrows);
    expect(own.filter((file) => roomOf(file) === undefined).length).toBeLessThanOrEqual(most.loose);
  });

  it('no two rooms import each other', () => {
    const back = (arrow: string) => arrow.split(' ').reverse().join(' ');
    expect([...arrows].filter((arrow) => arrows.has(back(arrow)))).toEqual([]);
  });
});

it('the largest knot of files that import each other in a circle, types included, is small', () => {
  const imported = Map.groupBy(imports, ({ from }) => from);
  const reachable = new Map(files.map((file) => [file, reach(file)]));
  function reach(file: string): ReadonlySet<string> {
    const seen = new Set((imported.get(file) ?? []).map(({ to }) => to));
    for (const each of seen) for (const { to } of imported.get(each) ?? []) seen.add(to);
    return seen;
  }
  const knotOf = (file: string) =>
    [...(reachable.get(file) ?? [])].filter((other) => reachable.get(other)?.has(file));
  const [largest = []] = files.map(knotOf).sort((a, b) => b.length - a.length);
  expect(largest.length <= 5 ? [] : largest).toEqual([]);
});

it('a port of the store has at most twelve methods', () => {
  const ports = files.filter((file) => /^store\/ports(?:\/|\.ts$)/.test(file));
  const sizes = ports.flatMap((file) =>
    [...readFileSync(join(src, file), 'utf8').matchAll(/^export interface (\w+)[^{]*\{\n(.*?)^\}/gms)].map(
      ([, name, body = '']) => [name, body.match(/^ {2}\w+(?:<[^>]*>)?\(/gm)?.length ?? 0] as const,
    ),
  );
  expect(sizes.length).toBeGreaterThan(20);
  expect(sizes.filter(([, methods]) => methods > 12)).toEqual([]);
  const strangers = imports.filter(
    ({ from, to, value }) =>
      ports.includes(from) && (value || (to.startsWith('store/') && !ports.includes(to))),
  );
  expect(strangers).toEqual([]);
});

describe('access to the process', () => {
  const using = (pattern: RegExp) =>
    files
      .filter((file) => pattern.test(readFileSync(join(src, file), 'utf8')))
      .filter((file) => !file.startsWith('web/'));

  it('only the entries of processes use a process’s arguments, environment, signals and streams', () => {
    expect(using(/\bprocess\.(env|argv|exit|on|once|stdin|stdout|stderr)\b/)).toEqual(['app/main.ts']);
  });

  it('only the clock reads the time of day', () => {
    expect(using(/\bDate\.now\(\)/)).toEqual(['runtime/clock.ts']);
  });
});

it.each(['src', 'test'] as const)(
  '%s keeps to its budget of lines: what a change adds it pays for elsewhere, or raises the bound by a row in line-budget.ts',
  (folder) => {
    const root = join(src, '..', folder);
    const most = raised.reduce((sum, one) => sum + one[folder], base[folder]);
    const lines = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:tsx?|css)$/.test(file))
      .reduce((sum, file) => sum + readFileSync(join(root, file), 'utf8').split('\n').length - 1, 0);
    expect(lines).toBeLessThanOrEqual(most);
  },
);

it('no file has more than 300 lines', () => {
  const long = files.filter((file) => readFileSync(join(src, file), 'utf8').split('\n').length > 301);
  expect(long).toEqual([]);
});

describe('exports', () => {
  const tests = resolve(import.meta.dirname);
  /** Who imports each file. */
  const importers = new Map<string, string[]>();
  /** The files of which everything is imported, under a name of its own. */
  const whollyImported = new Set<string>();
  const read = (file: string) => readFileSync(file, 'utf8');
  const testing = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  for (const file of [...files.map((each) => join(src, each)), ...testing.map((each) => join(tests, each))]) {
    const from = /(?<whole>\* (?:as \w+ )?)?(?:from |import\(\s*)'(?<target>(?:\.|#src\/)[^']+)'/g;
    for (const { groups: { whole, target = '' } = {} } of read(file).matchAll(from)) {
      const path = target.startsWith('#')
        ? resolve(src, '..', target.slice(1))
        : resolve(dirname(file), target);
      importers.set(path, [...(importers.get(path) ?? []), file]);
      if (whole !== undefined) whollyImported.add(path);
    }
  }
  const exported = files
    .flatMap((file) =>
      [
        ...read(join(src, file)).matchAll(
          /^export (?:abstract |async )*(?:const|function\*?|class|interface|type) (?<name>\w+)|^export (?:type )?\{(?<names>[^}]*)\}/gm,
        ),
      ]
        .flatMap(({ groups }) => groups?.name ?? groups?.names?.match(/\w+(?=\s*(?:,|$))/g) ?? [])
        .map((name) => ({ file, name })),
    )
    .filter(({ file }) => !whollyImported.has(join(src, file)));
  /** Returns whether a file of this folder imports the file of the export and names the export. */
  const named = ({ file, name }: { readonly file: string; readonly name: string }, folder: string) =>
    (importers.get(join(src, file)) ?? []).some(
      (importer) => importer.startsWith(`${folder}/`) && new RegExp(`\\b${name}\\b`).test(read(importer)),
    );
  const unnamed = exported.filter((each) => !named(each, src));

  it('what no other file names is not exported', () => {
    expect(exported.length).toBeGreaterThan(1_000);
    expect(unnamed.filter((each) => !named(each, tests))).toEqual([]);
  });

  it('the number of exports that only tests name is limited: a test uses what the code uses', () => {
    expect(unnamed.length).toBeLessThanOrEqual(102);
  });
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
