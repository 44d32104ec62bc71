import { join } from 'node:path';
import { minute, second } from '#src/runtime/units.ts';
import { bareServer } from './measuring/baselines.ts';
import { type Figure, report } from './measuring/figures.ts';
import { answers, eventually, freePort, inFolder, load, startProgram } from './measuring/program.ts';
import { patience, waitFor } from './preview/wait-for.ts';

/** Takes minutes. */
export const slow = true;

/** Ms from the first start to the first question; by then the past is loaded. */
const after = 2 * minute;

const rules = {
  'over open interest': 'alert create oi.ratePct above=1 btc preview=yes',
  'over prices': 'alert create price.change24hPct above=5 btc preview=yes',
  'over funding, open interest and the regime':
    'alert create when="funding.z > 2 && oi.ratePct > 0.5 && regime.riskOff > 0.2" btc preview=yes',
  'over fear and greed': 'alert create fearGreed.value below=25 preview=yes',
};

/** `npm run bench -- previewed-rules`: how long a person waits until the preview of an own rule is complete. */
export default async function previewedRules(): Promise<void> {
  await inFolder(async (folder) => {
    const port = await freePort();
    const begun = performance.now();
    const program = startProgram(['start'], {
      TOCSIN_DATABASE_URL: `file:${join(folder, 'tocsin.db')}`,
      TOCSIN_ARCHIVE_URL: `file:${join(folder, 'archive.db')}`,
      TOCSIN_HTTP_PORT: String(port),
    });
    const site = `http://127.0.0.1:${port}`;
    try {
      await eventually('the bot', () => answers(`${site}/readyz`), { within: patience, program });
      await new Promise((done) => setTimeout(done, Math.max(0, begun + after - performance.now())));
      const { ready: baseline } = await bareServer();
      const figures: Figure[] = [];
      for (const [name, line] of Object.entries(rules)) {
        const value = (await waitFor(line, { site, program })) / second;
        figures.push({ name, value, unit: 's', bound: { most: (10 * minute) / second }, baseline });
      }
      report('an own rule over the last 30 days, until its preview is complete', [...figures, load()]);
    } finally {
      await program.stop();
    }
  });
}
