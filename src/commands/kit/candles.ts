import type { Fact } from '../../alert/alert.ts';
import { marketName, time } from '../../language/format.ts';
import { msg } from '../../language/text.ts';
import { ifOffered } from '../../runtime/errors.ts';
import { day, hour } from '../../runtime/units.ts';
import { coveredLength, windowOf } from '../../runtime/window.ts';
import type { CommandContext } from '../../shell/command.ts';
import type { Points } from './series.ts';

/** The most candles of one request, by the contract. */
const maxCandles = 1_000;

/**
 * Requests closes and volumes in USD, each at the time at which its candle closed. The closes begin with the last at
 * or before the beginning of the window, so that their change is that of the whole window. Candles are an extension of the contract:
 * throws ApiError if the service does not offer them.
 */
export async function candlesOf(
  symbol: string,
  { hours, data, now, signal }: { readonly hours: number } & Pick<CommandContext, 'data' | 'now' | 'signal'>,
): Promise<{ readonly closes: Points; readonly volumes: Points }> {
  const hourly = hours <= maxCandles;
  const length = hourly ? hour : day;
  const { data: rows } = await data.candles(
    {
      symbol,
      interval: hourly ? '1h' : '1d',
      limit: Math.min(maxCandles, Math.ceil((hours * hour) / length) + 1),
    },
    signal,
  );
  const from = now - hours * hour;
  const candles = rows.map((row) => ({ ...row, at: Date.parse(row.open_time) + length }));
  const inWindow = candles.filter(({ at }) => at >= from);
  return {
    closes: candles.filter(({ at }) => at > from - length).map(({ at, c }) => [at, Number(c)] as const),
    volumes: inWindow.map(({ at, quote_volume }) => [at, Number(quote_volume)] as const),
  };
}

/** Returns hourly closes. If the service offers no candles, returns those of the last day. */
export async function closesOf(
  symbol: string,
  given: { readonly hours: number } & Pick<CommandContext, 'data' | 'now' | 'signal'>,
): Promise<Points> {
  const candles = await ifOffered(candlesOf(symbol, given));
  if (candles !== undefined) return candles.closes;
  const { candles24h } = await given.data.intelligence({ symbol }, given.signal);
  return candles24h
    .map(({ open_time, c }) => [Date.parse(open_time) + hour, Number(c)] as const)
    .filter(([at]) => at >= given.now - given.hours * hour);
}

/** Says why the market's price is not drawn with what it would be compared with: its history begins later, while it loads. */
export function shorterPastFacts(
  closes: Points,
  { symbol, length }: { readonly symbol: string; readonly length: number },
): Fact[] {
  const past = windowOf(closes, length);
  const [first] = past;
  return first === undefined || coveredLength(past, length) === length
    ? []
    : [
        {
          name: marketName(symbol),
          value: msg('not drawn: known since {since} only', { since: time(first[0]) }),
        },
      ];
}
