// The axes of plots.

/** Maps values to positions, and has the values that an axis names. */
export interface Axis {
  at: (value: number) => number;
  ticks: number[];
}

/** Returns an axis from a position to another one, with about five round values in the range of the values. */
export function axisOf(values: number[], start: number, end: number): Axis {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) [low, high] = [0, 1];
  if (low === high) [low, high] = [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2];
  const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => power * factor >= rough) ?? 10);
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) ticks.push(Number((i * step).toPrecision(12)));
  return { at: (value) => start + (value - low) / (high - low) * (end - start), ticks };
}
