/** Peak and distal positions of a depth-dose curve with noise: polynomials fitted by least squares around them. */

export interface Reading {
  readonly peak: number;
  readonly peak_mm: number;
  readonly r80_mm: number;
  readonly w80_20_mm: number;
}

/** Coefficients of the polynomial of `degree` through the points that is best by least squares. */
function fitted(x: readonly number[], y: readonly number[], degree: number): readonly number[] {
  const n = degree + 1;
  const rows = Array.from({ length: n }, (_, i) => [
    ...Array.from({ length: n }, (_, j) => x.reduce((sum, one) => sum + one ** (i + j), 0)),
    x.reduce((sum, one, k) => sum + one ** i * (y[k] ?? 0), 0),
  ]);
  for (let i = 0; i < n; i += 1) {
    const pivot = rows[i] ?? [];
    for (const [j, row] of rows.entries()) {
      if (j === i) continue;
      const factor = (row[i] ?? 0) / (pivot[i] ?? 1);
      for (let k = i; k <= n; k += 1) row[k] = (row[k] ?? 0) - factor * (pivot[k] ?? 0);
    }
  }
  return rows.map((row, i) => (row[n] ?? 0) / (row[i] ?? 1));
}

/**
 * `values`: one per bin of `width`, dose by length. `scale` is the standard deviation of the stopping depth, mm: the
 * length over which the curve bends. The peak is looked for from `from_mm` on.
 */
export function read(values: ArrayLike<number>, width: number, scale: number, from_mm = 0): Reading {
  const at = (i: number): number => values[i] ?? 0;
  const centre = (i: number): number => (i + 0.5) * width;
  /** The curve around bin `middle`, as a polynomial of (position - centre) / scale. */
  const local = (middle: number, below: number, above: number, degree: number): ((mm: number) => number) => {
    const [x, y]: [number[], number[]] = [[], []];
    for (
      let i = middle - Math.round((below * scale) / width);
      i <= middle + Math.round((above * scale) / width);
      i += 1
    ) {
      x.push((centre(i) - centre(middle)) / scale);
      y.push(at(i));
    }
    const c = fitted(x, y, degree);
    return (mm) => c.reduceRight((sum, one) => sum * ((mm - centre(middle)) / scale) + one, 0);
  };
  let top = 0;
  // A running mean finds the region, the fit the height.
  const span = Math.max(1, Math.round((0.25 * scale) / width));
  let highest = 0;
  for (let i = span + Math.floor(Math.max(0, from_mm) / width); i < values.length - span - 2; i += 1) {
    let sum = 0;
    for (let k = -span; k <= span; k += 1) sum += at(i + k);
    if (sum > highest) [highest, top] = [sum, i];
  }
  const cap = local(top, 1.1, 0.9, 5);
  let [peak, peak_mm] = [0, 0];
  for (let k = -500; k <= 500; k += 1) {
    const mm = centre(top) + (k / 1000) * scale;
    if (cap(mm) > peak) [peak, peak_mm] = [cap(mm), mm];
  }
  const falls = (level: number): number => {
    let i = top;
    const mean = (k: number): number => {
      let sum = 0;
      for (let j = -span; j <= span; j += 1) sum += at(k + j);
      return sum / (2 * span + 1);
    };
    while (i < values.length - span - 2 && mean(i) > level) i += 1;
    const flank = local(i, 0.5, 0.5, 3);
    let [low, high] = [centre(i) - 0.5 * scale, centre(i) + 0.5 * scale];
    for (let k = 0; k < 50; k += 1) {
      const middle = (low + high) / 2;
      if (flank(middle) > level) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  };
  const r80 = falls(0.8 * peak);
  return { peak, peak_mm, r80_mm: r80, w80_20_mm: falls(0.2 * peak) - r80 };
}
