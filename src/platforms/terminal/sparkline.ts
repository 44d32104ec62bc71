const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/**
 * Draws values as a line of at most `columns` bars; each bar is the mean of its share of the values. Empty if there are
 * no values.
 */
export function sparkline(values: readonly number[], columns: number): string {
  const finite = values.filter(Number.isFinite);
  const length = Math.min(finite.length, Math.max(0, Math.floor(columns)));
  const means = Array.from({ length }, (_, index) => {
    const from = Math.floor((index * finite.length) / length);
    const part = finite.slice(from, Math.floor(((index + 1) * finite.length) / length));
    // Each value is divided first: the sum of large values may overflow although their mean does not.
    return part.reduce((sum, value) => sum + value / part.length, 0);
  });
  const low = Math.min(...means);
  const range = Math.max(...means) - low;
  return means
    .map((mean) => {
      const height = range > 0 && Number.isFinite(range) ? (mean - low) / range : 0.5;
      return bars[Math.min(bars.length - 1, Math.floor(height * bars.length))] ?? bars[0];
    })
    .join('');
}
