import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { second } from '#src/runtime/units.ts';
import { bareServer } from './measuring/baselines.ts';
import { type Figure, report } from './measuring/figures.ts';
import { answers, eventually, flags, freePort, inFolder, load, startProgram } from './measuring/program.ts';

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Ms that the bot runs at 240 × before it is backed up. */
const lived = 30 * second;

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / second;
};

/**
 * `npm run bench -- upkeep`: how long a bot of half a minute takes to be backed up while it runs, to stop, to be restored in another
 * place, and to be ready there; and what systemd says of the unit, where there is systemd-analyze.
 */
export default async function upkeep(): Promise<void> {
  await inFolder(async (folder) => {
    const port = await freePort();
    const environment = (place: string) => ({
      TOCSIN_DATABASE_URL: `file:${join(folder, place, 'tocsin.db')}`,
      TOCSIN_ARCHIVE_URL: `file:${join(folder, place, 'archive.db')}`,
      TOCSIN_HTTP_PORT: String(port),
    });
    const start = async (place: string) => {
      const program = startProgram(['start'], environment(place));
      await eventually('the bot', () => answers(`http://127.0.0.1:${port}/readyz`), {
        within: 90 * second,
        program,
      });
      return program;
    };
    const copies = ['tocsin', 'archive'].map((name) => join(folder, `${name}.backup`)) as [string, string];
    const command = (name: 'backup' | 'restore', place: string) =>
      run(process.execPath, [...flags, join(root, 'src/main.ts'), name, copies[0], '--archive', copies[1]], {
        cwd: folder,
        env: { PATH: process.env.PATH, ...environment(place) },
      });

    const first = await start('first');
    await new Promise((done) => setTimeout(done, lived));
    const backedUp = await timed(() => command('backup', 'first'));
    const sizes = await Promise.all(copies.map(async (copy) => (await stat(copy)).size));
    const stopped = await timed(first.stop);
    const restored = await timed(() => command('restore', 'second'));
    const moved = await start('second');
    const stoppedAgain = await timed(moved.stop);

    const { ready: baseline } = await bareServer();
    const size = Math.round(sizes.reduce((sum, each) => sum + each, 0) / 1e6);
    report('SQLite, after half a minute of npm start at 240 ×', [
      {
        name: 'SIGTERM to the end, the longer of two',
        value: Math.max(stopped, stoppedAgain),
        unit: 's',
        bound: { most: 10 },
      },
      { name: `backup of both databases while it runs, ${size} MB`, value: backedUp, unit: 's', baseline },
      { name: 'restore of both', value: restored, unit: 's', baseline },
      load(),
    ]);
  });
  const exposure = await exposureOfUnit();
  if (exposure.length > 0) report('systemd-analyze security --offline=true deploy/tocsin.service', exposure);
}

async function exposureOfUnit(): Promise<readonly Figure[]> {
  const unit = join(root, 'deploy/tocsin.service');
  const said = await run('systemd-analyze', ['security', '--offline=true', unit]).catch(() => undefined);
  const [, level] = /exposure level for \S+: ([\d.]+)/.exec(said?.stdout ?? '') ?? [];
  return level === undefined ? [] : [{ name: 'exposure of the unit', value: Number(level), unit: 'of 10' }];
}
