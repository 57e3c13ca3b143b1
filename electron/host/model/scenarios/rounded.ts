/** Rounds numbers to those that a person would choose. */
const roundDigits = [1, 2, 2.5, 5, 10] as const;

function decade(value: number): number {
  return 10 ** Math.floor(Math.log10(value) + 1e-9);
}

/** Removes the rounding error of binary arithmetic: 0.30000000000000004 becomes 0.3. */
export function withoutRoundingError(value: number): number {
  return Number(value.toPrecision(12));
}

/** Largest number of the series 1, 2, 2.5, 5 × 10ⁿ that is not above `value`. */
export function roundedBelow(value: number): number {
  const unit = decade(value);
  const digit = roundDigits.findLast((candidate) => candidate * unit <= value * (1 + 1e-9)) ?? 1;
  return withoutRoundingError(digit * unit);
}

/** Largest number with two significant digits that is not above `value`. */
export function twoDigitsBelow(value: number): number {
  const unit = decade(value) / 10;
  return withoutRoundingError(Math.floor(value / unit + 1e-9) * unit);
}

/**
 * Step of the series of rounded numbers around `value`: half a unit of its leading digit, as in 35, 40, 45 … 150, 200.
 */
function roundingUnit(value: number): number {
  return decade(value) / 2;
}

/** Nearest number of the series … 35, 40, 45 …, 100, 150, 200 … */
export function roundedNear(value: number): number {
  const unit = roundingUnit(value);
  return withoutRoundingError(Math.round(value / unit) * unit);
}

/** Smallest number of the series … 35, 40, 45 …, 100, 150, 200 … that is not below `value`. */
export function roundedAbove(value: number): number {
  const unit = roundingUnit(value);
  return withoutRoundingError(Math.ceil(value / unit - 1e-9) * unit);
}

/** Whether `whole` is an integer multiple of `part`, within 1e-6 of `part` or of `whole`. */
export function divides(part: number, whole: number): boolean {
  const quotient = whole / part;
  return Math.abs(quotient - Math.round(quotient)) <= 1e-6 * Math.max(1, quotient) && Math.round(quotient) >= 1;
}

/** Smallest multiple of `part` that is not below `whole`. */
export function multipleAbove(whole: number, part: number): number {
  return withoutRoundingError(Math.max(1, Math.ceil(whole / part - 1e-6)) * part);
}

/** Number near `part` of which `whole` is a multiple. It is a rounded decimal if one exists within a factor of 2.5. */
export function divisorNear(part: number, whole: number): number {
  const unit = decade(part);
  const candidates = [0.1, 1, 10]
    .flatMap((scale) => roundDigits.map((digit) => withoutRoundingError(digit * scale * unit)))
    .filter((candidate) => divides(candidate, whole) && Math.abs(Math.log(candidate / part)) <= Math.log(2.5));
  const distance = (candidate: number): number => Math.abs(Math.log(candidate / part));
  if (candidates.length === 0) return Number((whole / Math.max(1, Math.round(whole / part))).toPrecision(9));
  return candidates.reduce((best, candidate) => (distance(candidate) < distance(best) ? candidate : best));
}
