import { day, hour } from '../../runtime/units.ts';
import type { Candle, RegimeRow } from '../archive/archive.ts';
import { groupCandles } from '../archive/group-candles.ts';
import { openArchive } from '../archive/open.ts';
import { isPossible } from '../archive/possible.ts';
import type { AnswerSource } from '../archive/sources.ts';
import { openRegimes } from '../run/regimes.ts';
import { readRecording } from '../simulation/read-recording.ts';
import { frozenArchive } from './frozen-archive.ts';
import { type Past, pastOf } from './past-service.ts';

export interface RecordedPast extends Past {
  /** Returns the published regime of every closed hour of a market that opened in [from, to], oldest first. */
  regimes(symbol: string, window: { readonly from: number; readonly to: number }): Promise<RegimeRow[]>;
}

/**
 * Opens recordings as a past. It offers only the recorded feeds. @throws ConfigError if the recordings cannot be read
 *
 * @param until market ms; data that was not known by then is left out. Absent: all data is used
 */
export async function openRecordedPast({
  dir,
  until = Number.POSITIVE_INFINITY,
}: {
  readonly dir: string;
  readonly until?: number;
}): Promise<RecordedPast> {
  const recording = await readRecording(dir);
  // A candle is known only at the end of its hour.
  const candles = rowsUpTo(recording.candles, until - hour);
  const funding = rowsUpTo(recording.funding, until);
  const archive = await openArchive('file::memory:');
  // The takers' share was not recorded. One half is neutral for the signal; any other value would influence it.
  for (const rows of candles.values()) {
    const hours = rows.filter(isPossible).map((row) => ({ ...row, takerBuy: row.volume / 2 }));
    await archive.write('candles1h', hours);
    await archive.write('candles1d', wholeDays(hours));
  }
  for (const rows of funding.values()) await archive.write('funding', rows.filter(isPossible));

  const times = [...candles.values(), ...funding.values()].flatMap((rows) => [
    rows[0]?.time ?? Number.POSITIVE_INFINITY,
    rows.at(-1)?.time ?? 0,
  ]);
  const latest = Math.max(...times) + hour;
  for (const symbol of candles.keys()) await openRegimes(archive, { symbol, from: 0 })(latest);

  const recorded: AnswerSource[] = ['candles1h', 'candles1d', 'regimes'];
  if (funding.size > 0) recorded.push('funding');
  return {
    ...pastOf({
      archive: frozenArchive(archive, latest),
      since: new Map(recorded.map((feed) => [feed, 0])),
      source: 'recorded',
      earliest: Math.min(...times),
      latest,
      symbols: [...new Set([...candles.keys(), ...funding.keys()])].sort(),
      close: () => archive.close(),
    }),
    regimes: (symbol, window) => archive.read('regimes', { symbol, window }),
  };
}

/** Returns the days of which every hour was recorded. */
const wholeDays = (hours: readonly Candle[]): Candle[] =>
  [...Map.groupBy(hours, ({ time }) => Math.floor(time / day)).values()].flatMap((parts) =>
    parts.length === 24 ? groupCandles(parts, day) : [],
  );

const rowsUpTo = <Row extends { readonly time: number }>(
  all: ReadonlyMap<string, readonly Row[]>,
  until: number,
): ReadonlyMap<string, readonly Row[]> =>
  new Map([...all].map(([symbol, rows]) => [symbol, rows.filter(({ time }) => time <= until)]));
