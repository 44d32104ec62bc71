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
import { fakeClock } from '#test/support/clock.ts';
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
  const watch = watchFiles({
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
  await wall.advance(minute);
  return { at, wall, watch, paths, changes: () => changes };
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
    const { at, wall, changes } = await setUp();
    change(at);
    await wall.advance(10 * second);
    expect(changes()).toBe(expected);
    await wall.advance(minute);
    expect(changes()).toBe(expected);
  });
});

it('nothing is reported while files are still being written', async () => {
  const { at, wall, changes } = await setUp();
  for (let n = 0; n < 10; n += 1) {
    appendFileSync(at('own.yaml'), `# line ${n}\n`);
    await wall.advance(3 * second);
  }
  expect(changes()).toBe(0);
  await wall.advance(3 * second);
  expect(changes()).toBe(1);
});

it('what has changed before the files are read is not reported', async () => {
  const { at, wall, watch, changes } = await setUp();
  appendFileSync(at('own.yaml'), 'places: places\n');
  watch.note();
  await wall.advance(minute);
  expect(changes()).toBe(0);
});

it('a file that is named from then on is reported, as it may have changed since it was read', async () => {
  const { at, wall, paths, changes } = await setUp();
  paths.push(at('two/linked.yaml'));
  await wall.advance(minute);
  expect(changes()).toBe(1);
});
