/**
 * Range straggling at the end of the range in water, both in mm and close to a power of the range: a fit to the
 * electromagnetic-only reference values from 70 to 250 MeV (range 40.8 to 379 mm), good to 1 %.
 */
export const rangeStraggling_mm = (range_mm: number): number => 0.469 * (range_mm / 40.8) ** 0.947;
