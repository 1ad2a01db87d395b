export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: number[]) => percentile(values, 0.5);

/** What each further unit of `x` adds, by least squares. */
export function slope(points: { x: number; y: number }[]): number {
  const mean = (pick: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, one) => sum + pick(one), 0) / points.length;
  const [meanX, meanY] = [mean(({ x }) => x), mean(({ y }) => y)];
  const over = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0);
  return over / points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
}
