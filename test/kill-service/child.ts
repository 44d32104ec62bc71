/**
 * One life of the service's collecting part, over exchanges that its parent process simulates. The process ends by
 * itself when the archive is complete.
 */
import { pino } from 'pino';
import { wallClock } from '#src/runtime/clock.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { startCollecting } from '#src/service/collecting/collecting.ts';
import type { ExchangeUrls } from '#src/service/exchanges/urls.ts';
import binance from '#src/service/venues/binance/venue.ts';
import { openExchanges } from '#src/service/venues/open-exchanges.ts';

export interface Life {
  readonly archiveUrl: string;
  readonly urls: ExchangeUrls;
  /** Market time, which stands still, so that two archives of one moment can be compared. */
  readonly now: number;
  readonly symbols: number;
}

const life = JSON.parse(process.argv[2] ?? '') as Life;
const archive = await openArchive(life.archiveUrl);
const { signal } = new AbortController();
const collecting = startCollecting({
  archive,
  exchanges: openExchanges(life.urls, { venue: binance, wall: wallClock, signal }),
  symbols: life.symbols,
  wall: wallClock,
  clock: { now: () => life.now, speed: 1, wallUntil: (at) => Math.max(0, at - life.now) },
  log: pino({ level: 'warn' }, pino.destination(2)),
  signal,
});
await collecting.ready;
while (collecting.progress() < 1) await wallClock.sleep(5);
await collecting.stop();
await archive.close();
