import { say } from '../../language/say.ts';
import type { PastSeries, ReadSeries } from '../../platforms/web/ports/past-series.ts';
import type { PastLines } from '../../preview/past-lines.ts';
import { notANumberError, unknownMetricError } from '../../rules/expression-errors.ts';
import { isMetric, metricOf } from '../../rules/metrics.ts';
import { type PastPoints, pastOf } from '../../rules/past.ts';
import { median } from '../../runtime/statistics.ts';
import { day } from '../../runtime/units.ts';
import { resolveSymbol } from '../../shell/symbols.ts';
import type { Answering } from '../answer-commands.ts';

/**
 * Creates the reader of a metric's past. Reads the past as the commands and the rules do, with requests that are counted for
 * the caller. What lies before the data service's answer is read as a preview reads it.
 */
export function createPastSeries({
  contextOf,
  line,
}: Pick<Answering, 'contextOf'> & {
  /** Reads the past that the data service does not provide by itself. */
  readonly line: PastLines;
}): ReadSeries {
  return async ({ metric, symbol: named, days }, given) => {
    if (!isMetric(metric)) throw unknownMetricError(metric);
    const { about, labels, unit, shape } = metricOf(metric);
    if (labels !== undefined) throw notANumberError(metric);
    const { caller, data, listed, now: to, signal, source } = await contextOf(given);
    const symbol =
      about === 'market' ? undefined : resolveSymbol(named ?? listed[0] ?? defaultSymbol, listed);
    const from = to - days * day;
    const points = await pastOf(metric, { symbol, hours: days * 24, data, now: to, signal });
    const since = points[0]?.[0] ?? to;
    const earlier = since > from + day ? await line({ metric, symbol: symbol ?? null }) : undefined;
    const past = [...(earlier ?? []).filter(([at]) => at < since), ...points];
    return {
      unit,
      ...(shape && { shape }),
      window: { from, to },
      source: say(source(), caller),
      points: withGaps(past.filter(([at]) => at > from && at <= to)),
    };
  };
}

/** The symbol that the data service uses if none is named. */
const defaultSymbol = 'BTCUSDT';

/** Two points that are further apart than this many times the median distance have a gap between them. */
const gapFactor = 4;

/** Inserts a null 1 ms after the last point before each gap. */
export function withGaps(points: PastPoints): PastSeries['points'] {
  const steps = points.slice(1).map(([at], index) => at - (points[index]?.[0] ?? at));
  const maxStep = steps.length === 0 ? 0 : gapFactor * median(steps);
  return points.flatMap((point, index) =>
    (steps[index] ?? 0) > maxStep ? [point, [point[0] + 1, null] as const] : [point],
  );
}
