/**
 * Student's t distribution. The cumulative distribution is a regularised incomplete beta function, which is evaluated
 * as a continued fraction (NIST Digital Library of Mathematical Functions, 8.17.22). Quantiles are found by bisection.
 */

/**
 * Logarithm of the gamma function, by Lanczos' approximation with g = 5 and six terms. Its relative error is below
 * 2e-10 for x > 0.
 */
function logGamma(x: number): number {
  const terms = [76.18009172947146, -86.50532032941678, 24.01409824083091, -1.231739572450155, 1.208650973866179e-3];
  const shifted = x + 5.5;
  let series = 1.000000000190015;
  for (const [k, term] of [...terms, -5.395239384953e-6].entries()) series += term / (x + k + 1);
  return (x + 0.5) * Math.log(shifted) - shifted + Math.log((Math.sqrt(2 * Math.PI) * series) / x);
}

const SMALLEST_TERM = 1e-300;

/**
 * Regularised incomplete beta function I_x(a, b) for x < (a + 1) / (a + b + 2), where the continued fraction converges
 * in a few terms (modified Lentz algorithm).
 */
function betaFraction(x: number, a: number, b: number): number {
  const guard = (value: number): number => (Math.abs(value) < SMALLEST_TERM ? SMALLEST_TERM : value);
  let c = 1;
  let d = 1 / guard(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m < 500; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / guard(1 + even * d);
    c = guard(1 + even / c);
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / guard(1 + odd * d);
    c = guard(1 + odd / c);
    const change = d * c;
    value *= change;
    if (Math.abs(change - 1) < 1e-14) break;
  }
  const front = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  return (Math.exp(front) * value) / a;
}

function regularizedBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return x < (a + 1) / (a + b + 2) ? betaFraction(x, a, b) : 1 - betaFraction(1 - x, b, a);
}

/** Probability of a value beyond ±`t`, for `freedom` degrees of freedom. */
export function twoSidedProbability(t: number, freedom: number): number {
  return regularizedBeta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

const cachedQuantiles = new Map<string, number>();

/**
 * Quantile: the t for which values beyond ±t have the probability `outside` (0 to 1), such as 12.706 for 0.05 and one
 * degree of freedom. `freedom` may be any positive number, as in Welch's test. The result is infinite for `freedom` of
 * zero or less.
 */
export function twoSidedQuantile(outside: number, freedom: number): number {
  if (!(freedom > 0)) return Number.POSITIVE_INFINITY;
  const key = `${outside} ${freedom}`;
  const kept = cachedQuantiles.get(key);
  if (kept !== undefined) return kept;
  let [low, high] = [0, 2];
  while (twoSidedProbability(high, freedom) > outside) high *= 2;
  // The probability decreases with t. Sixty halvings exceed the precision of a double.
  for (let k = 0; k < 60; k += 1) {
    const middle = (low + high) / 2;
    if (twoSidedProbability(middle, freedom) > outside) low = middle;
    else high = middle;
  }
  const found = (low + high) / 2;
  if (cachedQuantiles.size < 10_000) cachedQuantiles.set(key, found);
  return found;
}
