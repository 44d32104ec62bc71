import { pino } from 'pino';
import { realTime } from '#src/runtime/clock.ts';
import { minute } from '#src/runtime/units.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { type Collecting, startCollecting } from '#src/service/collecting/collecting.ts';
import type { ExchangeUrls } from '#src/service/exchanges/urls.ts';
import binance from '#src/service/venues/binance/venue.ts';
import { openExchanges } from '#src/service/venues/open-exchanges.ts';
import type { Venue } from '#src/service/venues/venue.ts';
import { virtualClock } from '../virtual-clock.ts';
import { standIn } from './stand-in.ts';

/** URLs that are never reached: the stand-in responds. Each venue but Binance has a path of its own name. */
const urlsOf = ({ name }: Venue): ExchangeUrls => ({
  venues: {
    [name]: {
      rest: `https://venue.example${name === 'binance' ? '' : `/${name}`}`,
      stream: 'wss://stream.example',
    },
  },
  deribit: 'https://deribit.example',
  fearGreed: 'https://fng.example',
  stablecoins: 'https://stablecoins.example',
});

/** Collects from the stand-in as `--market live` does, in one simulated process after another over one archive. */
export async function liveCollecting(options: {
  readonly begin: number;
  readonly symbols: number;
  readonly publication: number;
  /** Binance if omitted. */
  readonly venue?: Venue;
  /** `file:` or `file::memory:` */
  readonly archiveUrl?: string;
}) {
  const { begin, symbols, publication, venue = binance } = options;
  const { wall, until, counted } = virtualClock(begin);
  const clock = realTime(wall);
  const archive: Archive = counted(await openArchive(options.archiveUrl ?? 'file::memory:'));
  const { transport, asked } = standIn({ clock, wall, symbols, publication });
  let stop: (() => Promise<void>) | undefined;

  return {
    wall,
    archive,
    asked,
    /** Time since the first start, ms. */
    passed: () => wall.now() - begin,
    /** Starts a new process. The previous one is treated as killed and does nothing more. */
    async start(): Promise<Collecting> {
      await stop?.();
      const kept = ((await archive.get('exchanges')) ?? {}) as Record<string, unknown>;
      const ending = new AbortController();
      const exchanges = openExchanges(urlsOf(venue), {
        venue,
        wall,
        transport,
        signal: ending.signal,
        memory: (upstream) => ({
          storedState: kept[upstream],
          async store(state) {
            kept[upstream] = state;
            await archive.put('exchanges', kept);
          },
        }),
      });
      const collecting = startCollecting({
        archive,
        clock,
        wall,
        symbols,
        // No WebSocket server is there; the sockets have a suite of their own.
        exchanges: { ...exchanges, streams: { root: 'ws://127.0.0.1:1' } },
        log: pino({ level: 'silent' }),
        random: () => 0.5,
        signal: ending.signal,
      });
      stop = async () => {
        ending.abort();
        let stopped = false;
        const stopping = collecting.stop().then(() => {
          stopped = true;
        });
        // Responses in progress arrive only as the virtual clock moves.
        await until(() => stopped, wall.now() + minute);
        await stopping;
      };
      return collecting;
    },
    /** Lets time pass until `done`, at most `most` ms. */
    until: (done: () => boolean, most = 60 * minute) => until(done, wall.now() + most),
    async close() {
      await stop?.();
      await archive.close();
    },
  };
}
