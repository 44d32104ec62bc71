import type { Chart } from '../../alert/alert.ts';
import { askEach } from '../../client/each.ts';
import type { DataClient } from '../../contract/data-client.ts';
import { marketName } from '../../language/format.ts';
import { msg, type Text } from '../../language/text.ts';
import { ifAnswered } from '../../runtime/errors.ts';
import { msOf } from '../../runtime/units.ts';
import { lineOf } from './series.ts';

/** Settlements shown: ten days of every eight hours. */
const shown = 30;
/** Requests of one look: at a settlement few markets are told of, and the rest are told without their past. */
const most = 4;

/** Settlements by symbol: [ms, percent]. */
export type FundingPast = ReadonlyMap<string, readonly (readonly [number, number])[]>;

/** What the markets that may be told of have paid before. It is their chart alone: what cannot be had is left out. */
export async function fundingPast(
  symbols: readonly string[],
  data: Pick<DataClient, 'fundingHistory'>,
  signal: AbortSignal,
): Promise<FundingPast> {
  const ask = (symbol: string) => data.fundingHistory({ symbol, limit: shown }, signal);
  const answers = await ifAnswered(askEach(symbols.slice(0, most), ask));
  return new Map(
    [...(answers ?? [])].map(([symbol, answer]) => [
      symbol,
      answer.data.map(({ timestamp, rate }) => [msOf(timestamp), Number(rate) * 100] as const),
    ]),
  );
}

/** @param marks rates, fractions per settlement */
export const fundingChart = (
  symbol: string,
  past: FundingPast | undefined,
  now: { readonly time: number; readonly rate: number },
  marks: readonly { readonly name: Text; readonly value: number }[],
): { readonly chart?: Chart } => {
  const before = (past?.get(symbol) ?? []).filter(([at, rate]) => at < now.time && Number.isFinite(rate));
  const name = marketName(symbol);
  if (!Number.isFinite(now.rate)) return {};
  return lineOf(
    msg('{symbol} funding per settlement', { symbol: name }),
    [...before, [now.time, now.rate * 100]],
    {
      unit: '%',
      name,
      marks: marks
        .filter(({ value }) => Number.isFinite(value))
        .map((mark) => ({ name: mark.name, value: mark.value * 100 })),
    },
  );
};
