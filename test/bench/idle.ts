import { join } from 'node:path';
import { report } from './measuring/figures.ts';
import { answers, eventually, freePort, inFolder, startProgram } from './measuring/program.ts';

/** Until then what the start left behind is collected and everything has been polled, ms. */
const steady = 20_000;

/** `npm run bench -- idle`: what the bot holds on to while nothing but its polls goes on. */
export default async function idle(): Promise<void> {
  await inFolder(async (folder) => {
    const [servicePort, port] = [await freePort(), await freePort()];
    const service = startProgram(['serve', '--port', String(servicePort), '--speed', '1'], {
      TOCSIN_ARCHIVE_URL: `file:${join(folder, 'archive.db')}`,
    });
    try {
      const site = `http://127.0.0.1:${servicePort}`;
      await eventually('the data service', () => answers(`${site}/readyz`), {
        within: 90_000,
        program: service,
      });
      const bot = startProgram(['start'], {
        TOCSIN_API_URL: `${site}/api/v1`,
        TOCSIN_DATABASE_URL: `file:${join(folder, 'tocsin.db')}`,
        TOCSIN_HTTP_PORT: String(port),
      });
      try {
        await eventually('the bot', () => answers(`http://127.0.0.1:${port}/readyz`), {
          within: 30_000,
          program: bot,
        });
        await new Promise((resolve) => setTimeout(resolve, steady));
        const { rss, heaps } = await bot.memory();
        report('idle: the bot, with the data service elsewhere and no chat platform', [
          { name: 'memory of the process', value: rss / 1e6, unit: 'MB', bound: { most: 150 } },
          { name: 'heap in use', value: (heaps.main ?? Number.NaN) / 1e6, unit: 'MB' },
        ]);
      } finally {
        await bot.stop();
      }
    } finally {
      await service.stop();
    }
  });
}
