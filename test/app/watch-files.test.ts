import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { watchFiles } from '#src/app/watch-files.ts';
import { minute, second } from '#src/runtime/units.ts';
import { advanceReading, fakeClock } from '#test/support/clock.ts';
import { ownFolder } from '#test/support/folder.ts';

/** Starts to watch a file, one that does not exist, a link as a ConfigMap has it, and a folder of places. */
async function setUp() {
  const folder = await ownFolder();
  const at = (name: string) => join(folder, name);
  for (const each of ['places', 'one', 'two']) mkdirSync(at(each));
  writeFileSync(at('own.yaml'), 'watch: true\n');
  writeFileSync(at('places/team.yaml'), '- at: web:main\n');
  writeFileSync(at('one/linked.yaml'), 'watch: true\n');
  writeFileSync(at('two/linked.yaml'), 'watch: true\n');
  symlinkSync('one', at('..data'));
  const wall = fakeClock();
  let changes = 0;
  const paths = ['own.yaml', '.env', '..data/linked.yaml', 'places'].map(at);
  const watch = await watchFiles({
    paths: () => paths,
    changed() {
      changes += 1;
    },
    wall,
    onError(error) {
      throw error;
    },
  });
  const watching = watch.start();
  onTestFinished(() => watching.stop());
  const advance = (ms: number) => advanceReading(wall, ms);
  await advance(10 * second);
  return { at, advance, watch, paths, changes: () => changes };
}
type At = Awaited<ReturnType<typeof setUp>>['at'];

describe('a change is reported once', () => {
  it.each<[string, (at: At) => void, number]>([
    ['nothing happens', () => {}, 0],
    ['a file is written', (at) => writeFileSync(at('own.yaml'), 'watch: false\n'), 1],
    [
      'a file is replaced, as editors do',
      (at) => {
        writeFileSync(at('own.yaml~'), 'watch: true\n');
        renameSync(at('own.yaml~'), at('own.yaml'));
      },
      1,
    ],
    ['a file comes', (at) => writeFileSync(at('.env'), 'TOCSIN_LOG_LEVEL=debug\n'), 1],
    ['a file goes', (at) => rmSync(at('own.yaml')), 1],
    [
      'a link leads elsewhere, as in a ConfigMap',
      (at) => {
        symlinkSync('two', at('..next'));
        renameSync(at('..next'), at('..data'));
      },
      1,
    ],
    [
      'a file of places is written',
      (at) => appendFileSync(at('places/team.yaml'), '  watchlist: [BTC]\n'),
      1,
    ],
    ['a file of places comes', (at) => writeFileSync(at('places/desk.yml'), '- at: web:desk\n'), 1],
    ['a file of places goes', (at) => unlinkSync(at('places/team.yaml')), 1],
    ['an editor keeps its own file', (at) => writeFileSync(at('places/.team.yaml.swp'), 'x'), 0],
    ['a file beside is none of places', (at) => writeFileSync(at('places/README.md'), 'x'), 0],
  ])('%s', async (_, change, expected) => {
    const { at, advance, changes } = await setUp();
    change(at);
    for (let times = 0; times < 2; times += 1) {
      await advance(10 * second);
      expect(changes()).toBe(expected);
    }
  });
});

it('nothing is reported while files are still being written', async () => {
  const { at, advance, changes } = await setUp();
  for (let n = 0; n < 10; n += 1) {
    appendFileSync(at('own.yaml'), `# line ${n}\n`);
    await advance(3 * second);
  }
  expect(changes()).toBe(0);
  await advance(3 * second);
  expect(changes()).toBe(1);
});

it('what has changed before the files are read is not reported', async () => {
  const { at, advance, watch, changes } = await setUp();
  appendFileSync(at('own.yaml'), 'places: places\n');
  await watch.note();
  await advance(10 * second);
  expect(changes()).toBe(0);
});

it('a file that is named from then on is reported, as it may have changed since it was read', async () => {
  const { at, advance, paths, changes } = await setUp();
  paths.push(at('two/linked.yaml'));
  await advance(10 * second);
  expect(changes()).toBe(1);
});

describe('a disk that does not answer', () => {
  const setUpHanging = async () => {
    const wall = fakeClock();
    const asked: string[] = [];
    const errors: unknown[] = [];
    let answer = async (path: string) => path;
    let changes = 0;
    const watch = await watchFiles({
      paths: () => ['fast', 'slow'],
      stateOf(path) {
        asked.push(path);
        return answer(path);
      },
      changed() {
        changes += 1;
      },
      wall,
      onError: (error) => void errors.push(error),
    });
    const answers = (given: typeof answer) => {
      answer = given;
      asked.length = 0;
    };
    return { wall, watch, asked, errors, answers, changes: () => changes };
  };
  const hang = () => new Promise<never>(() => {});

  it('is asked once, is said once, and holds up neither a reading of the files nor the end', async () => {
    const { wall, watch, asked, errors, answers, changes } = await setUpHanging();
    const watching = watch.start();
    await wall.advance(minute);
    answers((path) => (path === 'slow' ? hang() : Promise.resolve(path)));
    await wall.advance(10 * minute);
    expect(asked).toEqual(['fast', 'slow']);
    expect(errors).toEqual([new Error('the files of the configuration do not answer for 10 s')]);
    let isNoted = false;
    const noted = watch.note().then(() => {
      isNoted = true;
    });
    await wall.advance(10 * second);
    expect(isNoted).toBe(true);
    await noted;
    await watching.stop();
    expect(changes()).toBe(0);
  });

  it('is looked at again once it answers, and what has changed is reported', async () => {
    const { wall, watch, answers, changes } = await setUpHanging();
    const watching = watch.start();
    await wall.advance(minute);
    const late = Promise.withResolvers<string>();
    answers((path) => (path === 'slow' ? late.promise : Promise.resolve(path)));
    await wall.advance(minute);
    answers(async (path) => `${path} anew`);
    late.resolve('slow');
    await wall.advance(minute);
    expect(changes()).toBe(1);
    await watching.stop();
  });
});
