import { type RawBuilder, sql } from 'kysely';
import { openToRead } from '../../database/open.ts';
import { listingLog } from '../analytics/listing-log.ts';
import type { Archive, SeriesName } from '../archive/archive.ts';
import { heldVenueName } from '../archive/held-venue.ts';
import { firstTimeOf } from '../archive/identity.ts';
import { archiveIn } from '../archive/open.ts';
import { seriesDescriptions } from '../archive/series.ts';
import type { AnswerSource, MarketSource } from '../archive/sources.ts';
import { trackedSymbols } from '../collecting/universe.ts';
import { frozenArchive, readInTurn } from '../past/frozen-archive.ts';
import { unpublishedSources } from '../venues/unpublished-sources.ts';
import { loadVenues, simulatedVenue, type Venue } from '../venues/venue.ts';
import { type Past, pastOf } from './past-service.ts';

/**
 * Opens the past of an archive. It is read while the service goes on writing to the archive. Rows that arrived late are seen
 * at their own time, so an outage that was repaired later does not show.
 *
 * @param end market ms; nothing later is read
 * @throws ConfigError if the archive cannot be opened
 */
export async function openArchivedPast(options: {
  readonly url: string;
  readonly end: number;
  readonly source: MarketSource;
  /**
   * Chooses the symbols that responses are about from all tracked symbols, because each symbol adds to the time that a
   * response about all symbols takes.
   */
  readonly chooseSymbols?: ((tracked: readonly string[]) => readonly string[]) | undefined;
  /** Awaited before each response and after each query, so that other work has its turn; absent: nothing waits. */
  readonly pause?: () => Promise<void>;
}): Promise<Past> {
  const { pause = async () => {} } = options;
  const database = await openToRead<unknown>(options.url);
  try {
    const archive = archiveIn(database);
    const since = new Map<AnswerSource, number>();
    for (const feed of [...seriesNames, ...events]) {
      const { rows } = await firstTimeIn(feed).execute(database.db);
      await pause();
      const time = rows[0]?.first ?? null;
      const { length = 0 } = feed in seriesDescriptions ? seriesDescriptions[feed as SeriesName] : {};
      if (time !== null) since.set(feed, time + length);
    }
    const candles = since.get('candles1h');
    if (candles !== undefined) since.set('takerVolume', candles);
    const venues = await venuesIn(archive);
    const [venue] = venues;
    // Sources that the venue does not offer are removed: for taker volume, its candles only have a placeholder.
    if (venue !== undefined) for (const source of unpublishedSources(venue).keys()) since.delete(source);
    const listed = await listingLog(archive);
    if (listed !== undefined) since.set('listings', listed.begun);
    const frozen = frozenArchive(readInTurn(archive, pause), options.end);
    const symbols = await trackedSymbols(archive);
    return pastOf({
      archive: frozen,
      since,
      source: options.source,
      earliest: Math.min(...since.values()),
      latest: options.end,
      symbols,
      pause,
      venues,
      universe: options.chooseSymbols?.(symbols),
      close: () => database.close(),
    });
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Returns all venues, first the one whose markets the archive holds; none if that venue no longer exists. */
async function venuesIn(archive: Pick<Archive, 'get'>): Promise<readonly Venue[]> {
  const name = (await heldVenueName(archive)) ?? simulatedVenue;
  const venues = await loadVenues();
  const primary = venues.filter((venue) => venue.name === name);
  return primary.length === 0 ? [] : [...primary, ...venues.filter((venue) => venue.name !== name)];
}

const seriesNames = Object.keys(seriesDescriptions) as SeriesName[];
/** Tables whose key begins with the time. */
const events = ['liquidations', 'quality', 'audits'] as const;

/** The query of a feed's first time: of a series it takes one seek for each market, and not one through all rows. */
const firstTimeIn = (feed: SeriesName | (typeof events)[number]): RawBuilder<{ first: number | null }> =>
  feed in seriesDescriptions
    ? firstTimeOf(feed as SeriesName)
    : sql`select min(time) as first from ${sql.table(feed)}`;
