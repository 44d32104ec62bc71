import type { ArchiveReader, SeriesName, SeriesRows, TimeRange } from './archive.ts';
import { type Derivation, deriveRows } from './derivation.ts';

/** Returns the results computed from a series' rows in from ≤ time ≤ to; taken from the archive's cache if it has one. */
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
        .then((rows) => deriveRows(rows, { derivation, from }))
    : archive.derived(name, { symbol, window: { from, to }, derivation });
}
