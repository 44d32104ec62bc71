import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runHere, run as runIn } from '#test/support/command-line.ts';
import { sharedFolder } from '#test/support/folder.ts';

const folder = await sharedFolder();

type Env = Readonly<Record<string, string>>;
const within = (env: Env): Env => ({ TOCSIN_DATABASE_URL: `file:${join(folder, 'data/bot.db')}`, ...env });
/** Runs the command in its own process, which takes a second and is therefore done for only one command of each kind. */
const run = (args: readonly string[], env: Env = {}) => runIn(folder, args, within(env));
const here = (args: readonly string[], env: Env = {}) => runHere(folder, args, within(env));

const root = new URL('../../', import.meta.url);
const { scripts }: { scripts: Record<string, string> } = JSON.parse(
  readFileSync(new URL('package.json', root), 'utf8'),
);
const ours = Object.entries(scripts).filter(
  ([, script]) => script.includes('bin/tocsin.js') && !script.includes('tocsin.js node'),
);

describe('the command line', () => {
  it('lists all commands on --help, also after a command', async () => {
    const alone = await run(['--help']);
    const behind = await here(['serve', '-h']);
    expect(alone).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^npm start /) });
    expect(behind).toEqual(alone);
    const named = alone.out.match(/(?<=^npm (run )?)\w+(?= {2}|$)/gm);
    expect(named?.toSorted()).toEqual(ours.map(([name]) => name).toSorted());
  });

  it.each([[['--help']], [['start', 'key']], [['serve', 'key']], [['check', 'all']]])(
    'the usage that %j prints fits a terminal of 80 columns',
    async (args) => {
      const { out, err } = await here(args);
      expect(out + err).toContain('npm ');
      expect((out + err).split('\n').filter((line) => line.length > 80)).toEqual([]);
    },
  );

  it.each([
    ['start', run, 'TOCSIN_HTTP_PORT'],
    // A data service has no page: it does not read the settings of one.
    ['serve', here, 'TOCSIN_SERVE_MCP'],
    ['check', here, 'TOCSIN_HTTP_PORT'],
  ])(
    '%s with a bad configuration ends with 78, every problem and no stack',
    async (command, ask, variable) => {
      const { code, err } = await ask([command], { [variable]: 'x', TOCSIN_LOG_LEVEL: 'x' });
      expect(code).toBe(78);
      expect(err).toContain('2 problems');
      expect(err).toContain(variable);
      expect(err).toContain('TOCSIN_LOG_LEVEL');
      expect(err).not.toMatch(/^\s+at /m);
    },
  );

  it.each<[what: string, args: readonly string[], says: RegExp, code?: number]>([
    ['an option that is none', ['serve', '--prot', '1'], /--prot/],
    ['what is no order for a key', ['start', 'key', 'dance'], /^Usage:\nnpm start -- key create/],
    [
      'a setting as an option',
      ['start', '--port', '9000'],
      /^npm start does not accept "--port": .*TOCSIN_HTTP_PORT=/,
    ],
    ['a file too many', ['backup', 'one', 'two'], /^"one two" is more than one argument: give only one/],
    ['a command that is none', ['dance'], /^"dance" is no command .*\n\nnpm start /],
    [
      'a fraction as a port',
      ['serve', '--port', '40.5'],
      /--port: "40.5" is not valid; give a whole number from 0 to 65535/,
    ],
    ['a speed beyond that of the settings', ['serve', '--speed', '9999'], /give a number from 0.001 to 3600/],
    ['a seed beyond those of the settings', ['serve', '--seed', '4294967296'], /--seed: .* to 4294967295/],
    ['a port that is none', ['serve', '--port', 'x'], /--port: "x" is not valid/],
    ['a market that is none', ['serve', '--market', 'mars'], /--market: "mars" is not a market/],
    ['a host that is none', ['serve', '--host', '192.0.2.1'], /--host, --port: cannot listen on 192\.0/],
    ['a market to serve without recordings', ['serve', '--market', 'recorded:/nowhere'], /\/nowhere/],
    [
      'a date that is none',
      ['replay', '--market', 'recorded:x', '--from', 'yesterday'],
      /--from: "yesterday"/,
    ],
    ['a folder without recordings', ['replay', '--market', 'recorded:/nowhere'], /\/nowhere/],
    [
      'a check for look-ahead without recordings',
      ['lookahead', '--market', 'recorded:/nowhere'],
      /\/nowhere/,
    ],
    ['a replay of no recording', ['replay'], /^--market: missing; give recorded:FOLDER/],
    ['a backup to no file', ['backup'], /^No file is named: give -- FILE, --archive FILE or both/],
    ['a restore of no file', ['restore'], /^No file is named/],
    ['a mark beside a file', ['restore', 'copy', '--mark'], /^--mark goes with no file/],
    ['heads that are not there', ['verify', '--heads', '/nowhere'], /^\/nowhere cannot be read/],
    ['a record that is not there', ['verify', '/nowhere'], /^\/nowhere cannot be read/],
    ['a database that is not there', ['verify', 'file:/nowhere/bot.db'], /^There is no database \/nowhere/],
    ['a bot without a database yet', ['verify'], /There is no database .*bot\.db: the first npm start/, 78],
    ['a backup of its own that is not there', ['restore', '/nowhere'], /^\/nowhere is not there/],
    [
      'a check for look-ahead of nothing',
      ['lookahead'],
      /^Usage: npm run lookahead -- --market recorded:FOLDER/,
    ],
  ])('%s is reported with its remedy', async (_, args, text, expected = 64) => {
    const { code, err } = await here(args);
    expect({ code, remedy: text.test(err), stack: /^\s+at /m.test(err) }).toEqual({
      code: expected,
      remedy: true,
      stack: false,
    });
  });

  it('a replay refuses a time that ends before it begins, and a file that cannot be written', async () => {
    const rows = [0, 1].map((hour) => `2022-11-01T0${hour}:00:00Z,1,2,1,2,10`);
    const columns = 'open_time,open,high,low,close,volume';
    await writeFile(join(folder, 'btcusdt_1h_2022.csv'), [columns, ...rows, ''].join('\n'));
    const replay = (...more: readonly string[]) =>
      here(['replay', '--market', `recorded:${folder}`, ...more]);
    expect(await replay('--from', '2022-12-01', '--to', '2022-11-01')).toMatchObject({
      code: 64,
      err: '--from: 2022-12-01T00:00:00.000Z is not before --to, 2022-11-01T00:00:00.000Z\n',
    });
    expect(await replay('--labels', '/nowhere/labels')).toMatchObject({
      code: 64,
      err: expect.stringMatching(/^--labels: \/nowhere\/labels cannot be written/),
    });
  });
});
