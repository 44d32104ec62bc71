import type { EndpointAnswer } from '../../contract/index.ts';
import { iso } from '../../runtime/units.ts';
import type { Candle } from '../archive/archive.ts';
import type { Columns } from '../archive/columns.ts';
import { round } from './statistics.ts';

type VolumeDelta = Pick<EndpointAnswer<'volumeCvd'>, 'data' | 'pressure' | 'totalCvd' | 'dataPoints'>;

/**
 * Computes the cumulative volume delta in base units, starting at the first candle given. buyVolume is what takers
 * bought, sellVolume the rest of the volume, delta their difference. buyRatio is in percent; 50 for a candle without
 * trades. The pressure is the sign of the total delta.
 */
export function volumeDelta(candles: Pick<Columns<Candle>, 'time' | 'volume' | 'takerBuy'>): VolumeDelta {
  let cvd = 0;
  const data = Array.from(candles.time, (time, index) => {
    const [volume, takerBuy] = [candles.volume[index] as number, candles.takerBuy[index] as number];
    const sell = volume - takerBuy;
    cvd = round(cvd + takerBuy - sell, 8);
    return {
      timestamp: iso(time),
      buyVolume: round(takerBuy, 8),
      sellVolume: round(sell, 8),
      delta: round(takerBuy - sell, 8),
      cvd,
      buyRatio: volume > 0 ? round((100 * takerBuy) / volume, 2) : 50,
    };
  });
  const pressure = cvd > 0 ? 'BUY_PRESSURE' : cvd < 0 ? 'SELL_PRESSURE' : 'BALANCED';
  return { data, pressure, totalCvd: cvd, dataPoints: data.length };
}
