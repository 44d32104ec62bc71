import { join } from 'node:path';
import { report } from '../measuring/figures.ts';
import { eventually, freePort, inFolder, load, startProgram } from '../measuring/program.ts';
import { memoryOf, processorWithChildren } from '../measuring/with-children.ts';

/** Minutes after the history is loaded; by then the past has been replayed. */
const settling = 5;
const every = 2_000;

interface Sample {
  /** Wall ms since the start. */
  readonly at: number;
  /** Resident memory of the bot, bytes. */
  readonly resident: number;
  /** Processor seconds since the start. */
  readonly used: number;
}

/**
 * `npm run bench -- start -- memory 60`: memory and processor of `npm start` with nothing configured, for so many minutes
 * after its history is loaded, with its data service and its page, the simulated market at its usual 240 ×.
 */
export default async function memory([minutes = '60']: readonly string[]): Promise<void> {
  await inFolder(async (folder) => {
    const port = String(await freePort());
    const program = startProgram(['start'], {
      TOCSIN_DATABASE_URL: `file:${join(folder, 'tocsin.db')}`,
      TOCSIN_ARCHIVE_URL: `file:${join(folder, 'archive.db')}`,
      TOCSIN_HTTP_PORT: port,
    });
    const samples: Sample[] = [];
    const begun = performance.now();
    const sample = () => {
      samples.push({
        at: performance.now() - begun,
        resident: memoryOf(program.pid),
        used: processorWithChildren(program.pid),
      });
    };
    const complete = async (): Promise<true | undefined> => {
      sample();
      return program.output().includes('history is loaded') || undefined;
    };
    try {
      await eventually('its history', complete, { within: 600_000, every, program });
      const settled = performance.now() - begun + settling * 60_000;
      const until = begun + settled + Number(minutes) * 60_000;
      while (performance.now() < until) {
        await new Promise((resolve) => setTimeout(resolve, every));
        sample();
      }
      const [early, later] = [
        samples.filter(({ at }) => at < settled),
        samples.filter(({ at }) => at >= settled),
      ];
      const [first, last] = [later[0], later.at(-1)] as [Sample, Sample];
      const most = (of: readonly Sample[]) => Math.max(...of.map(({ resident }) => resident)) / 1e6;
      const megabytes = (name: string, value: number) => ({ name, value, unit: 'MB', bound: { most: 400 } });
      report(`npm start at 240 ×, for ${minutes} minutes after its past is replayed`, [
        megabytes('memory while the past is loaded and replayed, most', most(early)),
        megabytes('memory from then on, most', most(later)),
        { name: '  at its end', value: last.resident / 1e6, unit: 'MB' },
        {
          name: 'of one core from then on',
          value: ((last.used - first.used) / (last.at - first.at)) * 100_000,
          unit: '%',
          bound: { most: 25 },
        },
        load(),
      ]);
    } finally {
      await program.stop();
    }
  });
}
