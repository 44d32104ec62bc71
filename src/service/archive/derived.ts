import { type Derivation, madeFrom } from '../analytics/derivation.ts';
import type { ArchiveReader, SeriesName, SeriesRows, TimeRange } from './archive.ts';

/** Rows made of a series' rows in from ≤ time ≤ to: those an archive has made already, where it keeps them. */
export function derived<Name extends SeriesName, Made>(
  archive: ArchiveReader,
  {
    name,
    symbol,
    from,
    to,
    derivation,
  }: {
    readonly name: Name;
    readonly symbol: string;
    readonly derivation: Derivation<SeriesRows[Name], Made>;
  } & TimeRange,
): Promise<Made[]> {
  return archive.derived === undefined
    ? archive
        .columns(name, { symbol, window: { from: from - derivation.lead, to } })
        .then((rows) => madeFrom(rows, { derivation, from }))
    : archive.derived(name, { symbol, window: { from, to }, derivation });
}
