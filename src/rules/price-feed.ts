import { minute, msOf } from '../runtime/units.ts';
import { emptyIfNotOffered, type Feed, type Reading } from './feed.ts';

/** Changes of a market's price, as /prices and the stream of prices tell them. */
interface Changed
  extends Readonly<
    Partial<Record<`change${'1m' | '5m' | '15m' | '1h' | '4h' | '7d'}Pct`, number | undefined>>
  > {
  readonly symbol: string;
  readonly time: number;
}

const changeReading = ({ symbol, time, ...changes }: Changed): Reading => ({
  symbol,
  time,
  values: {
    'price.change1mPct': changes.change1mPct,
    'price.change5mPct': changes.change5mPct,
    'price.change15mPct': changes.change15mPct,
    'price.change1hPct': changes.change1hPct,
    'price.change4hPct': changes.change4hPct,
    'price.change7dPct': changes.change7dPct,
  },
});

/** Returns what a streamed price tells, up to when it is known to hold. */
export const liveReading = (live: Changed & { readonly price: number }): Reading => {
  const reading = changeReading(live);
  return { ...reading, values: { ...reading.values, 'price.last': live.price } };
};

export const prices: Feed = {
  askedPer: 'market',
  pastHours: 0,
  interval: minute,
  validFor: 10 * minute,
  read: ({ data, signal }) =>
    data
      .prices({}, signal)
      .then(
        ({ data: rows }) => rows.map((row) => changeReading({ ...row, time: msOf(row.timestamp) })),
        emptyIfNotOffered,
      ),
};
