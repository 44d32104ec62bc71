import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '#src/app/config/config.ts';
import { changedSettings, startReloading } from '#src/app/reload.ts';
import { endInTime } from '#src/app/stopping.ts';
import { ConfigError } from '#src/runtime/errors.ts';
import { createLog } from '#src/runtime/log.ts';
import { second } from '#src/runtime/units.ts';
import { advanceReading, fakeClock } from '#test/support/clock.ts';
import { ownFolder } from '#test/support/folder.ts';
import { configured as config } from '#test/support/settings.ts';

const token = 'a-token-of-the-page';
const telegram = (of: string) => config({ TELEGRAM_TOKEN: `1:${of.repeat(35)}` });

describe('a changed setting is named by its path, never by its value', () => {
  const usual = config();
  it.each<[string, Config, Config, string[]]>([
    ['nothing', usual, config(), []],
    ['a setting', usual, config({ TOCSIN_LOG_LEVEL: 'debug' }), ['log.level']],
    ['a secret, which looks the same', telegram('a'), telegram('b'), ['platforms.telegram.token']],
    ['a secret that comes', usual, config({ TOCSIN_HTTP_TOKEN: token }), ['http.token']],
    [
      'a detector’s option',
      usual,
      {
        ...usual,
        detectors: usual.detectors.map((each) =>
          each.detector.name === 'price-move' ? { ...each, enabled: false, options: { a: 1 } } : each,
        ),
      },
      expect.arrayContaining(['detectors.price-move.enabled', 'detectors.price-move.options.a']),
    ],
    ['a list', usual, { ...usual, operators: ['terminal', 'discord:1'] }, ['operators']],
  ])('%s', (_, one, other, paths) => {
    const changed = changedSettings(one, other);
    expect(changed).toEqual(paths);
    expect(JSON.stringify(changed)).not.toContain(token);
  });
});

describe('a reload of the configuration', () => {
  /** @param refused the error of a start with the page's port 81 */
  async function setUp(refused?: Error) {
    let given: () => Config = config;
    const events: string[] = [];
    const lines: Record<string, unknown>[] = [];
    const destination = new Writable({
      write(chunk, _, done) {
        lines.push(JSON.parse(String(chunk)));
        done();
      },
    });
    const log = createLog({ level: 'info', pretty: false, destination });
    let operators: () => readonly string[] = () => [];
    const wall = fakeClock();
    const folder = await ownFolder();
    const file = join(folder, 'own.yaml');
    const running = await startReloading({
      config: config(),
      log,
      wall,
      files: () => [file],
      failed: (error) => void events.push(String(error)),
      read: async () => given(),
      async start({ http: { port } }, asked) {
        if (port === 81 && refused !== undefined) throw refused;
        operators = asked;
        events.push(`started ${port}`);
        return {
          takeFiles(files) {
            if (files !== null) events.push(`files ${Object.values(files.texts)}`);
          },
          close: async () => void events.push(`closed ${port}`),
        };
      },
    });
    onTestFinished(() => running.close());
    /** Lets the time of some looks at the file pass. */
    const look = () => advanceReading(wall, 10 * second);
    const write = () => appendFileSync(file, 'changed\n');
    const edit = (next: () => Config) => {
      given = next;
      write();
      return look();
    };
    const reload = (next: () => Config) => {
      given = next;
      return running.reload();
    };
    return { events, lines, log, running, reload, write, look, edit, operators: () => operators() };
  }
  const port = (value: number) => () => config({ TOCSIN_HTTP_PORT: String(value) });

  it('takes effect at once if it changes only the log level and the operators', async () => {
    const { events, lines, log, operators, reload } = await setUp();
    await reload(() => ({ ...config({ TOCSIN_LOG_LEVEL: 'debug' }), operators: ['discord:1'] }));
    expect({ events, level: log.level, operators: operators() }).toEqual({
      events: ['started 8080'],
      level: 'debug',
      operators: ['discord:1'],
    });
    expect(lines.at(-1)).toMatchObject({
      msg: 'the new configuration is in use',
      changed: ['log.level', 'operators'],
    });
  });

  it('reads the files of places again, even unchanged ones, and names those that changed', async () => {
    const { events, lines, reload } = await setUp();
    const files = (text: string) => () => ({
      ...config(),
      places: 'places',
      placeFiles: { texts: { 'team.yaml': text }, flaws: [], variables: {} },
    });
    await reload(files('one'));
    await reload(files('two'));
    await reload(files('two'));
    expect(events).toEqual(['started 8080', 'files one', 'files two', 'files two']);
    expect(lines.map(({ changed }) => changed)).toEqual([
      expect.arrayContaining(['places', 'placeFiles.texts.team.yaml']),
      ['placeFiles.texts.team.yaml'],
      [],
    ]);
  });

  it('restarts the rest after the old parts have ended', async () => {
    const { events, lines, running, reload } = await setUp();
    await reload(port(81));
    await running.close();
    expect(events).toEqual(['started 8080', 'closed 8080', 'started 81', 'closed 81']);
    expect(lines).toMatchObject([
      { msg: 'starting anew with the new configuration', changed: ['http.port'] },
    ]);
  });

  it('changes nothing if the configuration is wrong, which is logged in one line', async () => {
    const { events, lines, reload } = await setUp();
    await reload(() => config({ TOCSIN_HTTP_PORT: 'x', TOCSIN_LOG_LEVEL: 'y' }));
    expect(events).toEqual(['started 8080']);
    expect(lines).toMatchObject([
      {
        level: 50,
        msg: 'the new configuration is wrong; the old one stays in use',
        problem: expect.stringMatching(/^log\.level [^\n]*; http\.port [^\n]*$/),
      },
    ]);
  });

  it('returns to the old configuration if the start fails with the new one', async () => {
    const { events, lines, reload } = await setUp(new ConfigError(['127.0.0.1:81 is used already']));
    await reload(port(81));
    expect(events).toEqual(['started 8080', 'closed 8080', 'started 8080']);
    expect(lines.at(-1)).toMatchObject({ level: 50, problem: '127.0.0.1:81 is used already' });
  });

  it('leaves everything as it was if the start fails, also what would have taken effect at once', async () => {
    const { events, lines, log, operators, reload } = await setUp(new ConfigError(['81 is used already']));
    const before = operators();
    const placeFiles = { texts: { 'team.yaml': 'new' }, flaws: [], variables: {} };
    await reload(() => ({
      ...config({ TOCSIN_HTTP_PORT: '81', TOCSIN_LOG_LEVEL: 'debug' }),
      operators: ['discord:1'],
      places: 'places',
      placeFiles,
    }));
    expect({ level: log.level, operators: operators() }).toEqual({ level: 'info', operators: before });
    await reload(config);
    expect(lines.at(-1)).toMatchObject({ msg: 'no setting has changed' });
    expect(events).toEqual(['started 8080', 'closed 8080', 'started 8080']);
  });

  it('uses the new level and operators from the start with the new configuration on', async () => {
    const { log, operators, reload } = await setUp();
    await reload(() => ({
      ...config({ TOCSIN_HTTP_PORT: '81', TOCSIN_LOG_LEVEL: 'debug' }),
      operators: ['discord:1'],
    }));
    expect({ level: log.level, operators: operators() }).toEqual({
      level: 'debug',
      operators: ['discord:1'],
    });
  });

  it('ends the bot if the start fails because of a defect', async () => {
    const { reload } = await setUp(new TypeError('undefined is not a function'));
    await expect(reload(port(81))).rejects.toThrow('undefined is not a function');
  });

  it('happens once for each change of a file, and changes nothing if the file is wrong', async () => {
    const { events, lines, edit } = await setUp();
    await edit(() => config({ TOCSIN_HTTP_PORT: 'x' }));
    await edit(port(81));
    await edit(() => ({ ...port(81)(), operators: ['discord:1'] }));
    expect(events).toEqual(['started 8080', 'closed 8080', 'started 81']);
    expect(lines.map(({ msg }) => msg)).toEqual([
      'the new configuration is wrong; the old one stays in use',
      'starting anew with the new configuration',
      'the new configuration is in use',
    ]);
  });

  it('ends the bot if the start fails because of a defect after a file has changed', async () => {
    const { events, edit } = await setUp(new TypeError('undefined is not a function'));
    await edit(port(81));
    expect(events).toEqual(['started 8080', 'closed 8080', 'TypeError: undefined is not a function']);
  });

  it('is not repeated for a file that had changed when it was asked for', async () => {
    const { lines, reload, write, look } = await setUp();
    write();
    await reload(config);
    await look();
    expect(lines.map(({ msg }) => msg)).toEqual(['no setting has changed']);
  });

  it('changes nothing without changes, or while the bot is closing', async () => {
    const { events, lines, running, reload } = await setUp();
    await reload(config);
    expect(lines).toMatchObject([{ msg: 'no setting has changed' }]);
    await running.close();
    await reload(port(81));
    expect(events).toEqual(['started 8080', 'closed 8080']);
  });
});

describe('a stop', () => {
  it('waits for messages in progress, but not longer than docker stop does', async () => {
    const { clock, warned, log } = stopping();
    const never = endInTime({ close: () => new Promise(() => {}) }, { wall: clock, log });
    await clock.advance(8_999);
    expect(warned).toEqual([]);
    await clock.advance(1);
    await never;
    expect(warned).toHaveLength(1);
  });

  it('that is over in time logs nothing', async () => {
    const { clock, warned, log } = stopping();
    await endInTime({ close: async () => {} }, { wall: clock, log });
    await clock.advance(20_000);
    expect(warned).toEqual([]);
  });

  function stopping() {
    const warned: unknown[] = [];
    const log = { warn: (...said: unknown[]) => void warned.push(said) };
    return { clock: fakeClock(0), warned, log };
  }
});
