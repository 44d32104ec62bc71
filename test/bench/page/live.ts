import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { launchChromium } from '#test/support/chromium.ts';
import { report } from '../measuring/figures.ts';
import {
  answers,
  eventually,
  freePort,
  inFolder,
  load,
  type Program,
  startProgram,
} from '../measuring/program.ts';
import { type Behind, speed } from './behind.ts';
import { measureFigures } from './figures.ts';
import { measureTrouble } from './trouble.ts';

/**
 * `npm run bench -- page -- live`: the page over a bot and a data service in processes of their own, at 20 ×. Measures
 * whether a tile, a command and an alert show the same figure for the same datum, and what the page does when either
 * process is killed.
 */
export async function pageLive(): Promise<void> {
  await inFolder(async (folder) => {
    const [botPort, servicePort] = [await freePort(), await freePort()];
    // The bot counts its requests by market time, the service by wall time, so the service's limit must be higher.
    const limits = join(folder, 'limits.yaml');
    await writeFile(limits, `serve: { limits: { anonymous: ${300 * speed} } }\n`);
    const [url, site] = [`http://127.0.0.1:${botPort}`, `http://127.0.0.1:${servicePort}`];
    let bot: Program | undefined;
    let service: Program | undefined;
    const behind: Behind = {
      url,
      killBot: async () => bot?.kill(),
      killService: async () => service?.kill(),
      async startService() {
        service = startProgram(
          ['serve', '--port', String(servicePort), '--speed', String(speed), '--symbols', '30'],
          {
            TOCSIN_ARCHIVE_URL: `file:${join(folder, 'archive.db')}`,
            TOCSIN_CONFIG: limits,
          },
        );
        await eventually('the data service', () => answers(`${site}/readyz`), {
          within: 300_000,
          program: service,
        });
      },
      async startBot() {
        bot = startProgram(['start'], {
          TOCSIN_API_URL: `${site}/api/v1`,
          TOCSIN_DATABASE_URL: `file:${join(folder, 'tocsin.db')}`,
          TOCSIN_HTTP_PORT: String(botPort),
        });
        await eventually('the bot', () => answers(`${url}/healthz`), { within: 120_000, program: bot });
      },
    };
    const browser = await launchChromium();
    try {
      await behind.startService();
      await behind.startBot();
      const figures = await measureFigures(browser, url);
      report('page: one datum, one number, at 50 random moments', [...figures, load()]);
      report('page: what is behind it killed, and started again', [
        ...(await measureTrouble(browser, behind)),
        load(),
      ]);
    } finally {
      await browser.close();
      await bot?.stop();
      await service?.stop();
    }
  });
}
