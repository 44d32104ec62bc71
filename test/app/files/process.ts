/**
 * A process that applies files of places, started by processes.test.ts. It receives files and sends back the lines of its log.
 */
import { pino } from 'pino';
import { keepFiles } from '#src/app/files/keep-files.ts';
import web from '#src/platforms/web/platform.ts';
import { steadyClock, wallClock } from '#src/runtime/clock.ts';
import { openStore } from '#src/store/open.ts';

const [url = '', level = ''] = process.argv.slice(2);
const files = (condition: string) => ({
  texts: { 'team.yaml': `- at: web:main\n  alerts: [BTC > ${condition}]\n` },
  variables: {},
  flaws: [],
});
const store = await openStore(url);
const log = pino({}, { write: (line) => void process.send?.(JSON.parse(line)) });
const kept = await keepFiles(files(level), {
  store,
  roles: { leases: store.leases, wall: wallClock, steady: steadyClock, log },
  kinds: [],
  platforms: [web],
  addresses: { shown: (receiver) => receiver },
  universe: () => ['BTCUSDT'],
  now: Date.now,
  wall: wallClock,
  log,
});
process.on('message', (told: string) => kept.take(files(told)));
