import { useMemo } from 'preact/hooks';
import type { PastSeries } from '../platforms/past-series.ts';
import { day } from '../runtime/lengths.ts';
import { coveredLength } from '../runtime/window.ts';
import { messageOf, readSeries } from './api.ts';
import { useAsked } from './asked.ts';
import { type ChartJson, Figure } from './figure.tsx';
import { piece } from './model.ts';
import { marketName } from './numbers.ts';
import { Sparkline } from './sparkline.tsx';
import { age } from './time.ts';
import { msg } from './words.ts';

/** Days of the past that the charts show: hours are still visible in the narrow drawer. */
const days = 7;
const metrics = ['price.last', 'oi.valueUsd', 'funding.ratePct'] as const;

/** Converts a series for a chart; an unknown value becomes NaN, which the chart draws as a gap. */
const seriesOf = ({ name, points }: PastSeries) => ({
  name,
  points: points.map(([at, value]): [number, number] => [at, value ?? Number.NaN]),
});

/** Returns for how long the values are known, of the days that were asked for. */
const lengthOf = ({ points }: PastSeries): string => age(coveredLength(points, days * day));

/** Returns a chart of the price over open interest, and one of the funding payments. */
function chartsOf([price, interest, funding]: readonly (PastSeries | undefined)[]): ChartJson[] {
  const [over, below] = [price, interest].filter((each) => each !== undefined);
  const charts: ChartJson[] = [];
  if (over !== undefined)
    charts.push({
      title:
        price !== undefined && interest !== undefined
          ? msg('Price and open interest, last {length}', { length: lengthOf(price) })
          : msg('{name}, last {length}', { name: over.name, length: lengthOf(over) }),
      unit: over.unit,
      series: [seriesOf(over)],
      ...(below !== undefined && { below: { unit: below.unit, series: [seriesOf(below)] } }),
    });
  if (funding !== undefined)
    charts.push({
      title: msg('Funding per settlement, last {length}', { length: lengthOf(funding) }),
      unit: funding.unit,
      series: [{ ...seriesOf(funding), shape: 'bars' }],
    });
  return charts;
}

/** Loads and shows the last days of a market; shows the board's last day meanwhile. Says what could not be loaded. */
export function MarketPast({ symbol }: { readonly symbol: string }) {
  const { answer: found } = useAsked(
    () => Promise.allSettled(metrics.map((metric) => readSeries({ metric, symbol, days }))),
    { about: symbol },
  );
  const charts = useMemo(
    () => found && chartsOf(found.map((each) => (each.status === 'fulfilled' ? each.value : undefined))),
    [found],
  );
  const failed = found?.find((each) => each.status === 'rejected');
  return (
    <div class="past">
      {(charts ?? []).length === 0 && (
        <Sparkline
          points={piece(`trail/${symbol}`).value ?? []}
          label={msg('{symbol} price, last 24 h', { symbol: marketName(symbol) })}
        />
      )}
      {charts === undefined && <p class="empty">{msg('Asking…')}</p>}
      {charts?.map((chart) => (
        <Figure key={chart.title} chart={chart} />
      ))}
      {failed !== undefined && <p role="status">{messageOf(failed.reason)}</p>}
    </div>
  );
}
