import { day, hour, minute } from '#src/runtime/units.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { openRegimes } from '#src/service/run/regimes.ts';
import { candlesBetween } from '#src/service/simulation/candles.ts';
import type { Instrument } from '#src/service/simulation/market.ts';
import { calmMarket as market } from '#test/support/calm-market.ts';

const times = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);

/** Fills an archive with a simulated market, as its collectors would from before `from` until `to` without delay. */
export async function makeArchive(
  url: string,
  { from, to, symbols: wanted }: { readonly from: number; readonly to: number; readonly symbols: number },
): Promise<void> {
  const symbols = market.instruments.slice(0, wanted).map(({ symbol }) => symbol);
  const archive = await openArchive(url);
  const before = (length: number) => from - day - length;
  for (const symbol of symbols) {
    const past = symbol === 'BTCUSDT' ? 400 * day : 40 * day;
    await archive.write('candles1h', market.candles(symbol, { from: before(past), to }));
    const instrument = market.instruments.find((each) => each.symbol === symbol) as Instrument;
    const shown = { from: before(0), to: to - 5 * minute, now: to };
    await archive.write('candles5m', candlesBetween(market, instrument, { ...shown, interval: '5m' }));
    await archive.write('funding', market.settlements(symbol, { from: before(31 * day), to }));
    const snapshots = times(Math.ceil(before(2 * day) / hour) * hour, to, 5 * minute);
    await archive.write(
      'openInterest',
      snapshots.map((time) => market.openInterest(symbol, time)),
    );
    await archive.write(
      'marks',
      snapshots.map((time) => market.mark(symbol, time)),
    );
  }
  const liquidations = market.liquidations(before(day), to);
  await archive.writeLiquidations(liquidations.filter(({ symbol }) => symbols.includes(symbol)));
  await archive.put('universe', {
    at: from,
    wanted,
    symbols: symbols.map((symbol) => ({ symbol, listed: 0 })),
  });
  await (await openRegimes(archive, { from: before(10 * day) }))(to);
  await archive.close();
}
