/** Least squares by Gauss and Newton, damped after Marquardt (J. SIAM 11 (1963) 431) where a step makes it worse. */

/** Residuals r at some unknowns and their derivatives J, summed over all that was measured. */
export interface NormalEquations {
  /** Jᵀ J, row by row. */
  readonly square: Float64Array;
  /** Jᵀ r. */
  readonly right: Float64Array;
  /** rᵀ r. */
  readonly residual: number;
}

/** The lower half of Cholesky's decomposition; null where the matrix is not positive definite. */
function cholesky(square: Float64Array, count: number): Float64Array | null {
  const lower = new Float64Array(count * count);
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column <= row; column += 1) {
      let rest = square[row * count + column] ?? 0;
      for (let k = 0; k < column; k += 1) rest -= (lower[row * count + k] ?? 0) * (lower[column * count + k] ?? 0);
      if (row > column) lower[row * count + column] = rest / (lower[column * count + column] ?? 1);
      else if (rest > 0) lower[row * count + row] = Math.sqrt(rest);
      else return null;
    }
  }
  return lower;
}

/** The solution of a symmetric, positive definite system; null where it is none. */
export function solved(square: Float64Array, right: Float64Array): Float64Array | null {
  const count = right.length;
  const lower = cholesky(square, count);
  if (lower === null) return null;
  const out = Float64Array.from(right);
  for (let row = 0; row < count; row += 1) {
    for (let k = 0; k < row; k += 1) out[row] = (out[row] ?? 0) - (lower[row * count + k] ?? 0) * (out[k] ?? 0);
    out[row] = (out[row] ?? 0) / (lower[row * count + row] ?? 1);
  }
  for (let row = count - 1; row >= 0; row -= 1) {
    for (let k = row + 1; k < count; k += 1) out[row] = (out[row] ?? 0) - (lower[k * count + row] ?? 0) * (out[k] ?? 0);
    out[row] = (out[row] ?? 0) / (lower[row * count + row] ?? 1);
  }
  return out;
}

interface FitLimits {
  readonly iterations: number;
  /** A step whose every part is below it ends the fit. */
  readonly step: number;
}

interface Fit {
  readonly unknowns: Float64Array;
  /** Normal equations at the end of the fit. */
  readonly equations: NormalEquations;
  /** Number of times that the normal equations were built. */
  readonly iterations: number;
  readonly converged: boolean;
}

/** Damping of the first step that failed, and its most. */
const DAMPING = { first: 1e-3, rise: 10, fall: 0.3, most: 1e8 } as const;

function stepOf({ square, right }: NormalEquations, damping: number): Float64Array | null {
  const damped = Float64Array.from(square);
  for (let k = 0; k < right.length; k += 1) {
    const at = k * right.length + k;
    // An unknown that nothing depends on stays where it is.
    damped[at] = (damped[at] ?? 0) * (1 + damping) || 1;
  }
  return solved(damped, right)?.map((part) => -part) ?? null;
}

/** From `start` to where the residuals are least. `at` makes the normal equations of some unknowns. */
export async function gaussNewton(
  start: Float64Array,
  limits: FitLimits,
  at: (unknowns: Float64Array) => Promise<NormalEquations>,
): Promise<Fit> {
  let unknowns = start;
  let equations = await at(start);
  let damping = 0;
  for (let iterations = 1; ; iterations += 1) {
    const step = stepOf(equations, damping);
    const small = step?.every((part) => Math.abs(part) < limits.step) ?? false;
    if (small || damping > DAMPING.most) return { unknowns, equations, iterations, converged: small };
    if (iterations >= limits.iterations) return { unknowns, equations, iterations, converged: false };
    const next = step === null ? null : unknowns.map((one, k) => one + (step[k] ?? 0));
    const tried = next === null ? null : await at(next);
    if (next !== null && tried !== null && tried.residual <= equations.residual) {
      unknowns = next;
      equations = tried;
      damping = damping < DAMPING.first ? 0 : damping * DAMPING.fall;
    } else {
      damping = damping === 0 ? DAMPING.first : damping * DAMPING.rise;
    }
  }
}
