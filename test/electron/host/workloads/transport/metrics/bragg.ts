/**
 * An analytic Bragg curve for tests: the power-law depth dose (R - z)^(1/p - 1) of Bortfeld's model, convolved with a
 * Gaussian of width sigma. The quadrature is fine enough that the curve's R80 is known to a micrometre.
 */
const P = 1.77;

/**
 * Dose at a depth. The substitution u = (R - z)^(1/p) removes the singularity at the end of range from the integral.
 */
export function braggDose(depth: number, range: number, sigma: number): number {
  const nodes = 800;
  // The Gaussian weights ranges R' around `range`; a proton of range R' deposits (R' - depth)^(1/p-1) at depth.
  const most = range + 8 * sigma - depth;
  if (most <= 0) return 0;
  const top = most ** (1 / P);
  let sum = 0;
  for (let i = 0; i < nodes; i += 1) {
    const u = ((i + 0.5) / nodes) * top;
    const residual = u ** P;
    const offset = (depth + residual - range) / sigma;
    sum += Math.exp(-(offset * offset) / 2);
  }
  // d(residual) residual^(1/p-1) = p du
  return (sum * P * top) / nodes / (sigma * Math.sqrt(2 * Math.PI));
}

/** Mean over each cell, by Simpson's rule on the point values. */
export function braggCells(start: number, step: number, count: number, range: number, sigma: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => {
    const at = (t: number): number => braggDose(start + (i + t) * step, range, sigma);
    return (at(0) + 4 * at(0.25) + 2 * at(0.5) + 4 * at(0.75) + at(1)) / 12;
  });
}

/** Readouts of the analytic curve, found by search. */
export function braggTruth(
  range: number,
  sigma: number,
): Readonly<Record<'peak' | 'r90' | 'r80' | 'r50' | 'r20' | 'r10' | 'fwhm' | 'ratio', number>> {
  let [low, high] = [range - 4 * sigma, range];
  for (let i = 0; i < 60; i += 1) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
    if (braggDose(a, range, sigma) < braggDose(b, range, sigma)) low = a;
    else high = b;
  }
  const peak = (low + high) / 2;
  const height = braggDose(peak, range, sigma);
  const crossing = (level: number, inside: number, outside: number): number => {
    let [a, b] = [inside, outside];
    for (let i = 0; i < 50; i += 1) {
      const middle = (a + b) / 2;
      if (braggDose(middle, range, sigma) > level * height) a = middle;
      else b = middle;
    }
    return (a + b) / 2;
  };
  const beyond = range + 6 * sigma;
  return {
    peak,
    r90: crossing(0.9, peak, beyond),
    r80: crossing(0.8, peak, beyond),
    r50: crossing(0.5, peak, beyond),
    r10: crossing(0.1, peak, beyond),
    r20: crossing(0.2, peak, beyond),
    fwhm: crossing(0.5, peak, beyond) - crossing(0.5, peak, 0),
    ratio: height / braggDose(0, range, sigma),
  };
}
