import type { Alert, Chart } from '../alert/alert.ts';
import { panelsOf } from '../alert/panels.ts';
import { msg } from '../language/text.ts';

/** Returns the chart of what an alert was judged by, with the moments at which the alert began, got worse and ended. */
export function chartWithMoments({
  annotations: { chart },
  startsAt,
  worsenedAt,
  endsAt,
}: Pick<Alert, 'annotations' | 'startsAt' | 'worsenedAt' | 'endsAt'>): { readonly chart?: Chart } {
  if (chart === undefined) return {};
  const times = panelsOf(chart).flatMap(({ series }) =>
    series.flatMap(({ points }) => points.map(([at]) => at)),
  );
  const first = times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const last = times.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const all = [
    { name: msg('Began'), at: startsAt, tone: 'caution' as const },
    ...(worsenedAt === undefined ? [] : [{ name: msg('Got worse'), at: worsenedAt, tone: 'bad' as const }]),
    ...(endsAt === null ? [] : [{ name: msg('Ended'), at: endsAt, tone: 'good' as const }]),
  ];
  // An alert begins a little after the time of its data, so moments up to a tenth beyond the last value are moved to
  // it. Later ones are not in the chart.
  const latest = last + (last - first) / 10;
  const moments = all
    .filter(({ at }) => at >= first && at <= latest)
    .map((moment) => ({ ...moment, at: Math.min(moment.at, last) }));
  return { chart: { ...chart, moments: [...(chart.moments ?? []), ...moments] } };
}
