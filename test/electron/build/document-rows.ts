/** Tables in the documents, compared with generated ones. */
import { expect } from 'vitest';
import { documents, tableSlots } from '../../../electron/build/figures/sessions.ts';

export const places = documents.flatMap((file) => tableSlots(file));
export const again = 'made again by npm run figures';

/**
 * Whether two texts have the same numbers. Numbers may differ by one in their last digit, because instruction sets
 * round differently.
 */
export function equalNumbers(inDocument: string, made: string): boolean {
  if (inDocument === made) return true;
  const [a, b] = [Number(inDocument), Number(made)];
  const places = /\.(\d+)$/.exec(inDocument)?.[1]?.length ?? 0;
  return Number.isFinite(a) && Number.isFinite(b) && Math.abs(a - b) < 1.01 * 10 ** -places;
}

export const cells = (table: string): readonly (readonly string[])[] =>
  table.split('\n').map((line) => line.split(' | '));

/** Compares rows of `made` with the rows of the same name in the document. */
export function expectRows(name: string, made: string): void {
  const inDocument = cells(places.find((place) => place.name === name)?.text ?? '');
  for (const row of cells(made).slice(2)) {
    const same = inDocument.find(([first]) => first === row[0]) ?? [];
    // The last column is the order of magnitude of the ledger's error, which depends on the number of threads.
    const differing = row.slice(0, -1).filter((cell, at) => !equalNumbers(same[at] ?? '', cell));
    expect(differing, `${name}, ${row[0]}: ${again}`).toEqual([]);
  }
}
