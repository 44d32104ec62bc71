import { expect, it } from 'vitest';
import type { DataClient } from '#src/contract/data-client.ts';
import type { PastAlert } from '#src/preview/past-alerts.ts';
import { recordOf } from '#src/preview/past-record.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { day, hour, iso, minute } from '#src/runtime/units.ts';
import { answers, dataClient } from '#test/support/data.ts';

const start = Date.UTC(2026, 0, 10);
const to = start + 2 * day;
/** The price grows by one each minute and is observed every 5 minutes. */
const priceAt = (at: number) => 100_000 + (at - start) / minute;
const seen = (now: number) => Math.floor(now / (5 * minute)) * 5 * minute;

/** Mark prices exist from `marks` on. Before that there is only open interest, whose value gives the price. */
const at =
  (marks: number) =>
  (now: number): DataClient => {
    const [row] = answers.basis.data;
    const time = seen(now);
    if (row === undefined) throw new Error('no row');
    return {
      ...dataClient(),
      async basis() {
        if (now < marks) throw new ApiError('/basis', 'server_error', 'not recorded');
        const current = { ...row, markPrice: priceAt(time), timestamp: iso(time) };
        return { ...answers.basis, current };
      },
      oi: async () => ({
        symbol: 'BTCUSDT',
        data: [{ timestamp: iso(time), oi_contracts: '2', oi_value_usd: (2 * priceAt(time)).toFixed(2) }],
      }),
      candles: async () => ({
        symbol: 'BTCUSDT',
        interval: '1h',
        data: [start, start + 2 * hour].map((open) => {
          const c = String(priceAt(open + hour));
          return { open_time: iso(open), o: c, h: c, l: c, c, v: '1', quote_volume: '1' };
        }),
      }),
    };
  };
const alert = (kind: string, announcements: PastAlert['announcements']): PastAlert => ({
  labels: { kind, symbol: 'BTCUSDT' },
  startsAt: start,
  endsAt: null,
  announcements,
});
const announcedAt = start + 2 * minute;
const claimOf = ({ kind }: { readonly kind: string }) => (kind === 'data-quality' ? null : 'move');

it.each([
  ['marks', start],
  ['what open interest was valued at, where there are none', to + day],
])(
  'prices are the first ones after the moment, and unknown if that is in the future: by %s',
  async (_, marks) => {
    const alerts = [
      alert('price-move', [{ at: announcedAt, severity: 'info' }]),
      alert('price-move', [{ at: to - 2 * hour, severity: 'info' }]),
    ];
    const { outcomes } = await recordOf(alerts, { claimOf, at: at(marks), to });
    const first = (time: number) => priceAt(time - (time % (5 * minute)) + 5 * minute);
    expect(outcomes[0]).toMatchObject({ kind: 'price-move', symbol: 'BTCUSDT', firedAt: announcedAt });
    expect(outcomes[0]?.price).toBe(first(announcedAt));
    expect(outcomes[0]?.after).toEqual([hour, 4 * hour, day].map((after) => first(announcedAt + after)));
    expect(outcomes[1]?.after.slice(1)).toEqual([null, null]);
  },
);

it('alerts that were not sent or claim nothing are not judged, and missing hours stay missing', async () => {
  const alerts = [
    alert('price-move', []),
    alert('data-quality', [{ at: announcedAt, severity: 'info' }]),
    alert('price-move', [{ at: announcedAt, severity: 'info' }]),
  ];
  const { outcomes, closes } = await recordOf(alerts, { claimOf, at: at(start), to });
  expect(outcomes).toHaveLength(1);
  expect(closes.BTCUSDT).toEqual({
    from: start + hour,
    prices: [priceAt(start + hour), null, priceAt(start + 3 * hour)],
  });
});
