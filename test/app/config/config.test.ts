import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Config, loadConfig, readConfig } from '#src/app/config/config.ts';
import { isSecret, variablesOf, withEnvFile } from '#src/app/config/environment.ts';
import type { Detector } from '#src/detectors/detector.ts';
import { ConfigError } from '#src/runtime/errors.ts';
import { loadPlugins } from '#src/runtime/plugins.ts';
import { scrub } from '#src/runtime/secret.ts';
import { detectors } from '#test/support/detectors.ts';
import { sharedFolder } from '#test/support/folder.ts';
import { platforms, shipped } from '#test/support/settings.ts';
import { detectorSettings } from './plugin-settings.ts';

const root = join(import.meta.dirname, '../../..');

/** A detector as a user would add it: one file, with no change elsewhere. */
const moonPhase = `
import { z } from 'zod';
import { defineDetector } from '${join(root, 'src/detectors/detector.ts')}';
export default defineDetector({
  name: 'moon-phase',
  description: 'The moon is full',
  preset: 'everything',
  schedule: '0 0 * * * *',
  cost: 'the moon is in no hurry',
  options: z.object({ enter: z.number().default(0.9).describe('share of the disc that is lit') }),
  state: z.object({}),
  observe: async () => null,
  step: (state) => ({ state: state ?? {}, changes: [] }),
});
`;

const folder = await sharedFolder();

const read = (yaml = '', env: Record<string, string> = {}, dataOnly = false): Config => {
  const file = join(folder, 'own.yaml');
  writeFileSync(file, yaml);
  return readConfig({ ...shipped, env: { TOCSIN_CONFIG: file, ...env }, dataOnly });
};
const problems = (yaml = '', env: Record<string, string> = {}): readonly string[] => {
  try {
    read(yaml, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

it('a data service does not need what platforms of the bots need, whose settings may be in the same file', () => {
  const yaml = `platforms: { email: { tls: always }, discord: { publish: false } }
places: /nowhere
heads: { notifier: telegram, address: { chatId: -1001234567890 } }
alive: { line: { notifier: discord, address: { channelId: '600000000000000001' } } }
http: { host: 0.0.0.0 }
data: { embedded: { symbols: 5 } }`;
  expect(() => read(yaml)).toThrow(ConfigError);
  const config = read(yaml, { DISCORD_TOKEN_FILE: '/nowhere' }, true);
  expect(config.data.embedded.symbols).toBe(5);
  expect(config).toMatchObject({ platforms: [], places: null, heads: null, alive: { line: null } });
});

type Expected = string | RegExp;

describe('the configuration', () => {
  it('is valid as shipped', () => {
    expect(problems()).toEqual([]);
  });

  it('includes a detector by its file alone: its options are generated into default.yaml and optional', async () => {
    const own = join(folder, 'detectors');
    await mkdir(own);
    await writeFile(join(own, 'moon-phase.ts'), moonPhase);
    const added = await loadPlugins<Detector>(own, 'detector.ts');
    const env = { TOCSIN_CONFIG: join(folder, 'moon.yaml') };
    const readMoon = (yaml: string) => {
      writeFileSync(env.TOCSIN_CONFIG, yaml);
      return readConfig({ ...shipped, env, detectors: [...detectors, ...added] }).detectors.at(-1);
    };
    const plain = { enabled: true, schedule: '0 0 * * * *', options: { enter: 0.9 } };
    expect(readMoon('')).toMatchObject(plain);
    const chosen = 'detectors: { moon-phase: { options: { enter: 0.8 } } }';
    expect(readMoon(chosen)).toMatchObject({ ...plain, options: { enter: 0.8 } });
    expect(detectorSettings(added)).toBe(`  moon-phase:
    enabled: true
    schedule: 0 0 * * * *          # the moon is in no hurry
    options:
      enter: 0.9                   # share of the disc that is lit
`);
  });

  it('names a place in its platform’s form, even if YAML reads a number', () => {
    const yaml = 'heads: { notifier: telegram, address: { chatId: -1001234567890 } }';
    expect(read(yaml, { TELEGRAM_TOKEN: '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11' }).heads).toEqual({
      notifier: 'telegram',
      address: { chatId: '-1001234567890' },
    });
  });

  it('prefers the environment to the file, and the file to the defaults', () => {
    expect(read('http: { port: 1111 }').http).toMatchObject({ host: '127.0.0.1', port: 1111 });
    expect(read('http: { port: 1111 }', { TOCSIN_HTTP_PORT: '2222' }).http.port).toBe(2222);
    expect(read('', { TOCSIN_HTTP_PORT: '' }).http.port).toBe(8080);
  });

  it('prefers the environment to the file .env, which may be missing but not unreadable', () => {
    const file = join(folder, 'variables');
    expect(withEnvFile({ A: '1' }, file)).toEqual({ A: '1' });
    writeFileSync(file, 'A=2\nB=2\n');
    expect(withEnvFile({ A: '1' }, file)).toEqual({ A: '1', B: '2' });
    expect(() => withEnvFile({}, folder)).toThrow(ConfigError);
  });

  it('names what it was read from: its file, and the folder of places if there is one', () => {
    const own = join(folder, 'own.yaml');
    expect(read().sources).toEqual([own]);
    writeFileSync(join(folder, 'team.yaml'), '');
    expect(read('', { TOCSIN_PLACES: folder }).sources).toEqual([own, folder]);
  });

  it.each<
    [what: string, yaml: string, expected: Expected | readonly Expected[], env?: Record<string, string>]
  >([
    [
      'a wrong type',
      'http: { port: many }',
      'http.port (TOCSIN_HTTP_PORT): "many" is not valid; give a number',
    ],
    [
      'a value out of bounds',
      'http: { port: 70000 }',
      'http.port (TOCSIN_HTTP_PORT): 70000 is not valid; give at most 65535',
    ],
    ['a misspelt setting', 'htp: {}', 'htp: no such setting; did you mean http?'],
    [
      'a setting outside its group',
      'telegram: { timeout: 5s }',
      'telegram: no such setting; did you mean platforms.telegram?',
    ],
    [
      'a misspelt option of a detector',
      'detectors: { oi-momentum: { options: { clam: 1 } } }',
      'detectors.oi-momentum.options.clam: no such setting; did you mean detectors.oi-momentum.options.calm?',
    ],
    [
      'misspelt conditions of a rule of inhibit, without which it would hold back more',
      'inhibit: [{ by: { kind: a, minSeverty: critical }, holds: [b], equals: [direction] }]',
      [
        'inhibit.0.by.minSeverty: no such setting; config/default.yaml lists them all',
        'inhibit.0.equals: no such setting; config/default.yaml lists them all',
      ],
    ],
    [
      'kinds of a rule of inhibit that no alert has',
      `inhibit:
  - { by: { kind: funding-overheatd }, holds: [funding-extreme, { kind: moon, where: {} }] }
  - { by: { kind: hook/abcd2345 }, holds: [own-rule, data-blind] }`,
      [
        'inhibit.0.by.kind: there is no kind "funding-overheatd"; did you mean funding-overheated?',
        'inhibit.0.holds.1.kind: there is no kind "moon"; give one of basis-flip, ',
      ],
    ],
    [
      'an unknown detector',
      'detectors: { moon: {} }',
      'detectors.moon: no such setting; config/default.yaml lists them all',
    ],
    [
      'a choice that is none',
      '',
      'log.level (TOCSIN_LOG_LEVEL): "loud" is not valid; give one of trace, debug, info, warn, error',
      { TOCSIN_LOG_LEVEL: 'loud' },
    ],
    [
      'a schedule that is none',
      'detectors: { oi-momentum: { schedule: hourly } }',
      'detectors.oi-momentum.schedule: "hourly" is not valid; give a cron pattern such as "20 */5 * * * *" (seconds first)',
    ],
    [
      'a place of a platform that is not set up',
      'heads: { notifier: telegram, address: { chatId: -1001234567890 } }',
      'heads: telegram is not set up; set platforms.telegram',
    ],
    [
      'a place in another platform’s words',
      'alive: { line: { notifier: web, address: { chatId: 1 } } }',
      [
        'alive.line.address.room: missing; give a string',
        'alive.line.address.chatId: no such setting; config/default.yaml lists them all',
      ],
    ],
    [
      'a duration without a unit',
      'delivery: { keep: "30" }',
      'delivery.keep: "30" is not valid; give a duration such as "90s", "15m", "4h" or "7d"',
    ],
    [
      'a duration that is a number',
      'data: { timeout: 10 }',
      'data.timeout: 10 is not valid; give a duration such as "90s", "15m", "4h" or "7d"',
    ],
    [
      'a duration of zero, of what must take time',
      `alive: { every: 0s }
data: { timeout: 0s, budget: { window: 0s } }
serve: { limits: { window: 0s } }
delivery: { expireAfter: 0s }`,
      [
        'data.budget.window: "0s" is not valid; give at least 1s',
        'data.timeout: "0s" is not valid; give at least 1s',
        'serve.limits.window: "0s" is not valid; give at least 1s',
        'delivery.expireAfter: "0s" is not valid; give at least 1s',
        // Not shown, as the URL beside it may hold a key.
        'alive.every: not valid (its value is not shown here); give at least 1s',
      ],
    ],
    [
      'an address of an exchange that is none',
      '',
      'data.embedded.live.binance (TOCSIN_BINANCE_URL): "fapi.binance.com" is not valid; give an http or https URL',
      { TOCSIN_BINANCE_URL: 'fapi.binance.com' },
    ],
    [
      'a proxy that is none, whose password is not shown',
      '',
      'data.embedded.live.proxy (TOCSIN_PROXY): not valid (its value is not shown here); give an http or https URL',
      { TOCSIN_PROXY: 'socks5://me:pass@proxy:1080' },
    ],
    [
      'a secured proxy by its address',
      '',
      'data.embedded.live.proxy (TOCSIN_PROXY): not valid (its value is not shown here); give an https proxy by its name, not by its address',
      { TOCSIN_PROXY: 'https://me:pass@127.0.0.1:3128' },
    ],
    [
      'a secured proxy by its address of IPv6',
      '',
      'data.embedded.live.proxy (TOCSIN_PROXY): not valid (its value is not shown here); give an https proxy by its name, not by its address',
      { TOCSIN_PROXY: 'https://me:pass@[::1]:3128' },
    ],
    [
      'a token of viewers where everyone may do everything',
      '',
      'http.viewerToken (TOCSIN_HTTP_VIEWER_TOKEN): not valid (its value is not shown here); set http.token as well',
      { TOCSIN_HTTP_VIEWER_TOKEN: 'sixteen-letters-x' },
    ],
    [
      'a token of viewers that is the operator’s',
      '',
      'http.viewerToken (TOCSIN_HTTP_VIEWER_TOKEN): not valid (its value is not shown here); give another',
      { TOCSIN_HTTP_VIEWER_TOKEN: 'sixteen-letters-x', TOCSIN_HTTP_TOKEN: 'sixteen-letters-x' },
    ],
    [
      'a member of a list',
      'serve: { trustedProxies: [10.0.0.0/8, proxy] }',
      'serve.trustedProxies.1: "proxy" is not valid; give an address or range such as',
    ],
    [
      'other than a list, and other than a switch',
      'operators: terminal\nhttp: { mcp: "yes" }',
      [
        'http.mcp (TOCSIN_HTTP_MCP): "yes" is not valid; give true or false',
        'operators: "terminal" is not valid; give a list',
      ],
    ],
    [
      'an operator whom no platform names so',
      'operators: [terminal, bob, "telegram:abc", "discord:80351110224678912"]',
      [
        'operators.1: "bob" is not valid; give one of discord:USER_ID, telegram:USER_ID, terminal',
        'operators.2: "telegram:abc" is not valid; give one of',
      ],
    ],
    [
      'an entry that is given twice',
      'http: { hosts: [a.org, A.org] }\noperators: [terminal, terminal]\ndata: { venues: [okx, okx] }',
      [
        'http.hosts.1: "A.org" is not valid; it is in the list already: leave it out',
        'data.venues.1: "okx" is not valid; it is in the list already: leave it out',
        'operators.1: "terminal" is not valid; it is in the list already: leave it out',
      ],
      { TOCSIN_HTTP_TOKEN: 'x'.repeat(16) },
    ],
    [
      'a duration that no timer keeps',
      'data: { timeout: 2h }\nplatforms: { webhook: { secret: sixteen-letters-x, timeout: 4w } }\ndelivery: { keep: 999999w }',
      [
        'data.timeout: "2h" is not valid; give at most 1h',
        'delivery.keep: "999999w" is not valid; give at most 3650d',
        'platforms.webhook.timeout: "4w" is not valid; give at most 1h',
      ],
    ],
    [
      'a number that is none or without end',
      'data: { embedded: { speed: .nan, symbols: .inf } }',
      [
        'data.embedded.speed: NaN is not valid; give a number',
        'data.embedded.symbols: Infinity is not valid; give 1 to 1000, or all',
      ],
    ],
    [
      'a value that is left out or empty',
      'database:\nplaces: ""\ninhibit: [{ by: { kind: listing }, holds: [] }]',
      [
        'database (TOCSIN_DATABASE_URL): missing; give file:PATH or postgres://…',
        'places (TOCSIN_PLACES): "" is not valid; give at least 1 character',
        'inhibit.0.holds: [] is not valid; give at least 1 entry',
      ],
    ],
    [
      'a budget without a request for detectors',
      'data: { budget: { limit: 10, reserve: 10 } }',
      'data.budget.reserve: 10 is not valid; give less than data.budget.limit',
    ],
    ['a list where settings are', '- 1', /own\.yaml: must hold settings by name/],
    [
      'text that is not valid YAML',
      'a: [',
      /own\.yaml: line 1 is not valid YAML: Flow sequence .* with a \]$/,
    ],
    [
      'a file that is not there',
      '',
      /TOCSIN_CONFIG: the file \/nowhere\/x\.yaml cannot be read/,
      { TOCSIN_CONFIG: '/nowhere/x.yaml' },
    ],
  ])('names %s, the given value and the allowed values', (_, yaml, expected, env) => {
    const found = problems(yaml, env);
    const all = [expected].flat();
    expect(found).toHaveLength(all.length);
    for (const [index, one] of all.entries()) expect(found[index]).toMatch(one);
  });

  it('leaves the defaults where a group of settings is empty, as if all its lines were comments', () => {
    const empty =
      'http:\nlog:\nserve: { limits: }\ndetectors: { funding-flip: { options: } }\nplatforms: { web: }';
    const env = { TOCSIN_HTTP_PORT: '8081' };
    expect(problems(empty, env)).toEqual([]);
    expect(read(empty, env)).toEqual(read('', env));
  });

  it.each(['127.0.0.1', '::1', 'localhost', '127.8.8.8'])('requires no token for a page on %s', (host) => {
    expect(problems(`http: { host: "${host}" }`)).toEqual([]);
  });

  it.each(['0.0.0.0', '::', '192.168.1.2', 'tocsin.lan', '127.0.0.1.nip.io'])(
    'requires a token for a page on %s, which is not loopback',
    (host) => {
      const [problem = ''] = problems(`http: { host: "${host}" }`);
      expect(problem).toMatch(/^http\.token \(TOCSIN_HTTP_TOKEN\): missing; give at least 16 characters/);
      expect(problems(`http: { host: "${host}" }`, { TOCSIN_HTTP_TOKEN: 'too short' })[0]).toMatch(
        /16 characters/,
      );
      expect(problems(`http: { host: "${host}" }`, { TOCSIN_HTTP_TOKEN: 'x'.repeat(16) })).toEqual([]);
    },
  );

  it('accepts host names of the page in any case, and no URLs', () => {
    const env = { TOCSIN_HTTP_TOKEN: 'x'.repeat(16) };
    expect(read('http: { hosts: [Tocsin.Example.org] }', env).http.hosts).toEqual(['tocsin.example.org']);
    expect(problems('http: { hosts: ["https://tocsin.example.org"] }', env)).toHaveLength(1);
  });

  it('a page that others reach by a name has a token', () => {
    expect(problems('http: { hosts: [tocsin.example.org] }')).toEqual([
      expect.stringContaining('http.token'),
    ]);
  });

  it.each([
    [
      'a platform',
      'platforms: { discrod: { token: x } }',
      /platforms\.discrod: no such setting; did you mean platforms\.discord\?/,
    ],
    [
      'an option of a platform',
      'platforms: { discord: { tokne: x } }',
      /platforms\.discord\.tokne: no such setting; did you mean platforms\.discord\.token\?/,
    ],
    ['a detector', 'detectors: { fundng-extreme: {} }', /did you mean detectors\.funding-extreme\?/],
    [
      'a place in one word',
      'heads: discord:123',
      /give it as \{ notifier: discord, address: \{ channelId: … \} \}/,
    ],
    [
      'a place in one word of a misspelt platform',
      'heads: telegrm:-100',
      /give it as \{ notifier: telegram, address: \{ chatId: … \} \}/,
    ],
  ])('hints at what %s may mean', (_, text, expected) => {
    expect(problems(text).join('\n')).toMatch(expected);
  });

  it('says whole what to give where a database’s address is wrong', () => {
    const [problem = ''] = problems('', { TOCSIN_DATABASE_URL: 'mysql://h/x' });
    expect(scrub(problem)).toMatch(/; give file:PATH or postgres:\/\/…$/);
  });

  it('names the variables that set nothing, which may be misspelt, and what they may mean', async () => {
    writeFileSync(join(folder, 'desk.yaml'), `- at: $${'{TOCSIN_PLACE_DESK}'}\n`);
    const ignored = {
      TOCSIN_HTTP_TOKN: 'x',
      TOCSIN_HTTP_PORT_FILE: '/x',
      TOCSIN_PLACE_DEKS: 'x',
      DISCORD_TOCKEN: 'x',
      TELEGRAM_TOKN: 'x',
    };
    const env = {
      TOCSIN_LOG_LEVEL: 'info',
      TOCSIN_HTTP_TOKEN_FILE: join(folder, 'desk.yaml'),
      TOCSIN_WEBHOOK_SECRET: 'sixteen-letters-x',
      TOCSIN_PLACES: folder,
      TOCSIN_PLACE_DESK_FILE: join(folder, 'desk.yaml'),
      PATH: '/usr/bin',
      DISCORD_SERVER: 'x',
      TOCSIN_UNSET: '',
    };
    const { ignoredVariables } = await loadConfig({ ...shipped, env: { ...env, ...ignored } });
    expect(ignoredVariables).toEqual([
      { name: 'TOCSIN_HTTP_TOKN', meant: 'TOCSIN_HTTP_TOKEN' },
      { name: 'TOCSIN_HTTP_PORT_FILE' },
      { name: 'TOCSIN_PLACE_DEKS' },
      { name: 'DISCORD_TOCKEN', meant: 'DISCORD_TOKEN' },
      { name: 'TELEGRAM_TOKN', meant: 'TELEGRAM_TOKEN' },
    ]);
    rmSync(join(folder, 'desk.yaml'));
  });

  it('reports every problem at once', () => {
    const yaml = 'http: { port: x }\nlog: { level: x }\ndelivery: { pageSize: 0 }\nfoo: 1';
    expect(problems(yaml, { TOCSIN_API_URL: 'ftp://x' })).toHaveLength(5);
  });

  it('never shows a token or a password, not even in an error about it', () => {
    const env = {
      TOCSIN_WEBHOOK_SECRET: 'short-tok',
      TOCSIN_API_KEY: 'tocsin_0123456789abcdef',
      TOCSIN_DATABASE_URL: 'mysql://me:hunter2hunter2@h/x',
    };
    const text = problems('', env).join('\n');
    expect(text).toContain('TOCSIN_WEBHOOK_SECRET');
    for (const hidden of ['short-tok', '0123456789abcdef', 'hunter2']) expect(text).not.toContain(hidden);
    for (const yaml of [
      'platforms: { telegram: 1102:hunter2 }',
      'platforms: 1102:hunter2',
      'log: { level: { token: hunter2 } }',
      'http: { token: *hunter2 }',
      'http: { token: !a!hunter2 }',
      'http:\n  token: |hunter2',
      'http: { token: "\\xhunter2" }',
    ])
      expect(problems(yaml, {})).toEqual([expect.not.stringContaining('hunter2')]);
    const config = read('', { TOCSIN_API_KEY: 'tocsin_0123456789abcdef' });
    expect(JSON.stringify(config.data)).not.toContain('0123456789abcdef');
  });

  it('either reads or refuses any file, without any other error', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(() => {
          try {
            read(text);
          } catch (error) {
            if (!(error instanceof ConfigError)) throw error;
          }
        }).not.toThrow();
      }),
      { numRuns: 200 },
    );
  });
});

describe('a secret', () => {
  const long = `1:${'x'.repeat(35)}`;
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const token = (env: Record<string, string>) => {
    const options = read('', env).platforms.find(({ platform }) => platform.name === 'telegram')?.options;
    return (options as { token: { reveal(): string } } | undefined)?.token.reveal();
  };
  const asFile = (text: string) => ({ TELEGRAM_TOKEN_FILE: file('telegram-token', text) });
  const asCredential = (text: string) => ({ CREDENTIALS_DIRECTORY: dirname(file('TELEGRAM_TOKEN', text)) });

  it.each<[string, () => Record<string, string>]>([
    ['in the environment', () => ({ TELEGRAM_TOKEN: long })],
    ['in a file', () => asFile(long)],
    ['in a file with its last line break', () => asFile(`${long}\n`)],
    ['in a systemd credential', () => asCredential(`${long}\r\n`)],
    ['in a file, where the variable is empty', () => ({ ...asFile(long), TELEGRAM_TOKEN: '' })],
    ['nowhere among the credentials', () => ({ CREDENTIALS_DIRECTORY: '/nowhere', TELEGRAM_TOKEN: long })],
  ])('is read %s', (_, env) => {
    rmSync(join(folder, 'TELEGRAM_TOKEN'), { force: true });
    expect(token(env())).toBe(long);
  });

  it.each<[string, () => Record<string, string>, RegExp]>([
    [
      'twice',
      () => ({ ...asFile(long), TELEGRAM_TOKEN: long }),
      /^TELEGRAM_TOKEN and TELEGRAM_TOKEN_FILE \(.*\) are both given/,
    ],
    [
      'twice, in files',
      () => ({ ...asFile(long), ...asCredential(long) }),
      /^TELEGRAM_TOKEN_FILE \(.*\) and the credential TELEGRAM_TOKEN are both given/,
    ],
    [
      'in a file that is not there',
      () => ({ TELEGRAM_TOKEN_FILE: '/nowhere' }),
      /^TELEGRAM_TOKEN_FILE \(\/nowhere\): nothing can be read/,
    ],
    ['in an empty file', () => asFile('\n'), /^TELEGRAM_TOKEN_FILE .*has the file any text/],
  ])('given %s is an error, which does not show it', (_, env, expected) => {
    rmSync(join(folder, 'TELEGRAM_TOKEN'), { force: true });
    const found = problems('', env());
    rmSync(join(folder, 'TELEGRAM_TOKEN'), { force: true });
    expect(found).toEqual([expect.stringMatching(expected)]);
    expect(found.join('')).not.toContain(long);
  });

  it('can be read from a file for every secret variable, and all of these are in config/env.example', () => {
    const example = readFileSync(join(root, 'config/env.example'), 'utf8');
    const variables = variablesOf(platforms);
    const secrets = Object.keys(variables).filter((name) => isSecret(variables[name]?.join('.') ?? ''));
    expect(secrets.length).toBeGreaterThan(6);
    for (const name of secrets) expect(example).toContain(`#${name}=`);
    for (const name of secrets) {
      const path = file('any', '');
      expect(problems('', { [`${name}_FILE`]: path })).toEqual([expect.stringMatching(`^${name}_FILE`)]);
    }
  });
});
