/** What a material of one's own is made of, as one line of text. */
import { valueAt } from '../../../electron/contract/scenario/index.ts';

const FRACTION = /^([A-Za-z]{1,2})\s*[:= ]\s*(\S+)$/;

/** `C5H8O2`, or `H 0.112, O 0.888`. */
export function compositionText(material: unknown): string {
  const formula = valueAt(material, ['formula']);
  if (formula !== undefined) return String(formula);
  const composition = valueAt(material, ['composition']);
  if (typeof composition !== 'object' || composition === null) return '';
  return Object.entries(composition)
    .map(([symbol, fraction]) => `${symbol} ${String(fraction)}`)
    .join(', ');
}

/** Mass fractions in a text; null where it holds none. What is no number stays text, which the schema refuses. */
function fractionsIn(text: string): Readonly<Record<string, unknown>> | null {
  const parts = text.split(/[,;\n]+/).map((part) => part.trim());
  const pairs = parts.filter((part) => part !== '').map((part) => FRACTION.exec(part));
  if (pairs.length === 0 || pairs.some((pair) => pair === null)) return null;
  return Object.fromEntries(
    pairs.map((pair) => {
      const number = Number(pair?.[2]);
      return [pair?.[1] ?? '', Number.isFinite(number) ? number : pair?.[2]];
    }),
  );
}

/** The material with what the text says it is made of; a text that is neither is a formula at fault. */
export function madeOf(material: unknown, text: string, atomsOf: (formula: string) => unknown): object {
  const { formula: _, composition: __, ...rest } = (material ?? {}) as Readonly<Record<string, unknown>>;
  const fractions = atomsOf(text) === null ? fractionsIn(text) : null;
  return fractions === null ? { ...rest, formula: text } : { ...rest, composition: fractions };
}
