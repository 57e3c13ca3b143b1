/** Fortran writes exponents with D. */
const DECIMAL = /^[-+]?(\d+\.?\d*|\.\d+)([ed][-+]?\d+)?$/i;

/** The value of a decimal number in a file; NaN for any other text, also nothing, blanks and hexadecimal digits. */
export const decimalOf = (text: string): number => (DECIMAL.test(text) ? Number(text.replace(/d/i, 'e')) : Number.NaN);
