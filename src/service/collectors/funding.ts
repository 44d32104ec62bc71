import { day, hour, minute } from '../../runtime/units.ts';
import type { Settlement } from '../archive/archive.ts';
import { type Page, pageRows } from '../exchanges/binance.ts';
import { type CollectorContext, defineCollector, defineHistory } from './collector.ts';

/** Settled funding: every 8 hours, for many coins every 4 or every hour, and the interval may change. */
export default defineCollector({
  name: 'funding',
  every: 5 * minute,
  histories: () => [
    defineHistory({
      series: 'funding',
      // The longest interval: a shorter one seen as a gap of 8 hours would be no gap.
      step: 8 * hour,
      pageSteps: pageRows.funding,
      wanted: 2 * 365 * day,
      needed: () => 30 * day,
      fetch: settlements,
    }),
  ],
  async collect({ exchanges, symbols, write }, { now, since, catchUp }) {
    // One call answers for all symbols, up to 1,000 rows: not for longer than the few settlements that can hold.
    if (since === undefined || now - since > 20 * minute) return catchUp();
    const rows = await exchanges.binance.settlements(undefined, {
      from: since - 10 * minute,
      to: now,
      urgent: true,
    });
    const tracked = new Set(symbols());
    await write(
      'funding',
      rows.filter(({ symbol }) => tracked.has(symbol)),
    );
  },
});

/** Hourly settlements fill a page sooner than 8-hourly ones: what is left of the span is asked for again. */
async function settlements(
  symbol: string,
  page: Page,
  { exchanges }: CollectorContext,
): Promise<Settlement[]> {
  const all: Settlement[] = [];
  let from = page.from;
  for (;;) {
    const rows = await exchanges.binance.settlements(symbol, { ...page, from });
    all.push(...rows);
    const last = rows.at(-1);
    if (rows.length < pageRows.funding || last === undefined || last.time < from) return all;
    from = last.time + 1_000;
  }
}
