import { join } from 'node:path';
import { bareServer } from './measuring/baselines.ts';
import { report } from './measuring/figures.ts';
import type { Memory } from './measuring/probe.ts';
import {
  answers,
  eventually,
  freePort,
  inFolder,
  load,
  startProbed,
  startProgram,
} from './measuring/program.ts';

/** Ms after which memory used only at the start is collected and everything has been polled once. */
const steady = 20_000;

/** `npm run bench -- idle`: the memory of the bot while it does nothing but poll. */
export default async function idle(): Promise<void> {
  await inFolder(async (folder) => {
    const port = await freePort();
    const service = startProgram(['serve', '--port', String(port), '--speed', '1'], {
      TOCSIN_ARCHIVE_URL: `file:${join(folder, 'archive.db')}`,
    });
    const site = `http://127.0.0.1:${port}`;
    const bot = (wait: number, environment = {}) =>
      memoryOfBot(wait, {
        TOCSIN_API_URL: `${site}/api/v1`,
        TOCSIN_DATABASE_URL: `file:${join(folder, 'tocsin.db')}`,
        ...environment,
      });
    try {
      await eventually('the data service', () => answers(`${site}/readyz`), {
        within: 90_000,
        program: service,
      });
      const first = await bot(steady, { NODE_DISABLE_COMPILE_CACHE: '1' });
      await bot(0);
      const later = await bot(steady);
      const { memory: baseline } = await bareServer();
      report('idle: the bot, with the data service elsewhere and no chat platform', [
        { name: 'memory of the process', value: later.rss / 1e6, unit: 'MB', bound: { most: 150 }, baseline },
        { name: 'heap and buffers in use', value: (later.heaps.main ?? Number.NaN) / 1e6, unit: 'MB' },
        // The code that strips types stays in memory until the next start, which finds stripped code in the cache.
        { name: 'memory after the very first start', value: first.rss / 1e6, unit: 'MB', baseline },
        load(),
      ]);
    } finally {
      await service.stop();
    }
  });
}

async function memoryOfBot(wait: number, environment: Readonly<Record<string, string>>): Promise<Memory> {
  const port = await freePort();
  const program = startProbed(['start'], { ...environment, TOCSIN_HTTP_PORT: String(port) });
  try {
    await eventually('the bot', () => answers(`http://127.0.0.1:${port}/readyz`), {
      within: 30_000,
      program,
    });
    await new Promise((resolve) => setTimeout(resolve, wait));
    return await program.memory();
  } finally {
    await program.stop();
  }
}
