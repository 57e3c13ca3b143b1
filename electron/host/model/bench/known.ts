/** Variants by the names that people type. */
import { BraggError } from '../../../contract/errors.ts';
import { suggest } from '../../../contract/scenario/index.ts';

/** Throws BraggError `invalid` with what is allowed. */
export function knownVariant<V extends { readonly id: string }>(id: string, variants: readonly V[]): V {
  const found = variants.find((variant) => variant.id === id);
  if (found !== undefined) return found;
  const known = variants.map((variant) => variant.id);
  const near = suggest(id, known);
  const hint = near === null ? '' : ` (did you mean ${near}?)`;
  throw new BraggError(
    'invalid',
    `the variant ${JSON.stringify(id)} is not known${hint}; allowed: ${known.join(', ')}`,
  );
}

/** Throws BraggError `invalid` for a name that stands twice. */
export function eachOnce(labels: readonly string[]): void {
  const twice = labels.find((label, index) => labels.indexOf(label) !== index);
  if (twice !== undefined) {
    throw new BraggError('invalid', `the variant ${twice} stands twice in the list; allowed: once`);
  }
}
