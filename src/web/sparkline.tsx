import { through } from '../chart/paths.ts';

/** Draws a small line without axes. */
export function Sparkline({ points, label }: { readonly points: readonly number[]; readonly label: string }) {
  if (points.length < 3) return <svg class="sparkline" viewBox="0 0 64 18" aria-hidden="true" />;
  const [low, high] = [Math.min(...points), Math.max(...points)];
  const x = (index: number) => (index / (points.length - 1)) * 62 + 1;
  const y = (value: number) => 16 - ((value - low) / (high - low || 1)) * 14;
  const [first = 0] = points;
  const last = points.at(-1) ?? first;
  return (
    <svg
      class={last >= first ? 'sparkline up' : 'sparkline down'}
      viewBox="0 0 64 18"
      role="img"
      aria-label={label}
    >
      <path d={through(points.map((value, index) => [x(index), y(value)]))} />
      <circle cx={x(points.length - 1)} cy={y(last)} r="1.6" />
    </svg>
  );
}
