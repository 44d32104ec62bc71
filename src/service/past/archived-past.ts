import { type RawBuilder, sql } from 'kysely';
import { openToRead } from '../../database/open.ts';
import { day, hour } from '../../runtime/units.ts';
import { listingLog } from '../analytics/listing-log.ts';
import type { Archive } from '../archive/archive.ts';
import { frozenArchive } from '../archive/frozen.ts';
import { heldVenueName } from '../archive/held-venue.ts';
import { archiveIn } from '../archive/open.ts';
import { seriesDescriptions } from '../archive/series.ts';
import type { AnswerSource, MarketSource } from '../archive/sources.ts';
import { trackedSymbols } from '../collecting/universe.ts';
import { unpublishedSources } from '../venues/unpublished-sources.ts';
import { loadVenues, simulatedVenue, type Venue } from '../venues/venue.ts';
import { type Past, pastOf } from './past.ts';

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
  readonly chooseSymbols?: (tracked: readonly string[]) => readonly string[];
}): Promise<Past> {
  const database = await openToRead<unknown>(options.url);
  try {
    const archive = archiveIn(database);
    const firstTime = async (table: RawBuilder<unknown>): Promise<number | null> => {
      const query = sql<{ first: number | null }>`select min(time) as first from ${table}`;
      return (await query.execute(database.db)).rows[0]?.first ?? null;
    };
    const since = new Map<AnswerSource, number>();
    for (const [feed, table] of Object.entries(tableByFeed)) {
      const time = await firstTime(table);
      if (time !== null) since.set(feed as AnswerSource, time + (rowLengths[feed as AnswerSource] ?? 0));
    }
    const candles = since.get('candles1h');
    if (candles !== undefined) since.set('takerVolume', candles);
    const [venue, ...others] = await venuesIn(archive);
    // Sources that the venue does not offer are removed: for taker volume, its candles only have a placeholder.
    if (venue !== undefined) for (const source of unpublishedSources(venue).keys()) since.delete(source);
    const listed = await listingLog(archive);
    if (listed !== undefined) since.set('listings', listed.begun);
    const frozen = frozenArchive(archive, options.end);
    const symbols = await trackedSymbols(archive);
    return pastOf({
      archive: frozen,
      since,
      source: options.source,
      earliest: Math.min(...since.values()),
      latest: options.end,
      symbols,
      ...(venue !== undefined && { venues: [venue, ...others] }),
      ...(options.chooseSymbols !== undefined && { universe: options.chooseSymbols(symbols) }),
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

/** The length of rows that have the time of their beginning, ms. Such a row is known only at its end. */
const rowLengths: Readonly<Partial<Record<AnswerSource, number>>> = {
  candles1h: hour,
  candles1d: day,
  regimes: hour,
};

const tableByFeed: Readonly<Partial<Record<AnswerSource, RawBuilder<unknown>>>> = {
  ...Object.fromEntries(
    Object.entries(seriesDescriptions).map(([name, { table }]) => [name, sql.table(table)]),
  ),
  liquidations: sql.table('liquidations'),
  quality: sql.table('quality'),
  audits: sql.table('audits'),
};
