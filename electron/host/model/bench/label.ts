/** Labels that request a variant in a session: `cuda-fused`, `cuda-fused@fp64`, `cuda-fused:1` on the second GPU. */
import { BraggError } from '../../../contract/errors.ts';
import { suggest } from '../../../contract/scenario/index.ts';

// Variants by the names that people type.

/** Throws BraggError `invalid` with what is allowed. */
function knownVariant<V extends { readonly id: string }>(id: string, variants: readonly V[]): V {
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

/** Throws BraggError `invalid` for a duplicate name. */
function eachOnce(labels: readonly string[]): void {
  const twice = labels.find((label, index) => labels.indexOf(label) !== index);
  if (twice !== undefined) {
    throw new BraggError('invalid', `the variant ${twice} is listed twice; allowed: once`);
  }
}

/** A requested variant. */
export interface Asked<V> {
  readonly label: string;
  readonly variant: V;
  /** Null if the scenario's precision applies. */
  readonly precision: string | null;
  /** Which GPU, as the driver counts; null: the one that runs use. */
  readonly gpu: number | null;
}

/** `id`, then `@precision` and `:gpu` if requested. */
const form = /^([^@:]+)(?:@([^:]*))?(?::(.*))?$/;

interface Labelled {
  readonly id: string;
  readonly device: 'cpu' | 'cuda';
}

function refuse(label: string, allowed: string): never {
  throw new BraggError('invalid', `the variant ${label} is not known; allowed: ${allowed}`);
}

/** `precisions` lists those that may be requested; empty for a variant with a single precision. */
function asked<V extends Labelled>(
  label: string,
  variants: readonly V[],
  precisions: (variant: V) => readonly string[],
): Asked<V> {
  const [, id = label, wanted, device] = form.exec(label) ?? [];
  const variant = knownVariant(id, variants);
  const choices = precisions(variant);
  if (wanted !== undefined && !choices.includes(wanted)) {
    const known = choices.map((one) => `${id}@${one}`).join(', ');
    refuse(label, known === '' ? `${id}, which computes in one precision` : known);
  }
  if (device === undefined) return { label, variant, precision: wanted ?? null, gpu: null };
  if (!/^\d{1,3}$/.test(device)) refuse(label, `${id}:0 and further GPUs as the driver counts them`);
  if (variant.device === 'cpu') refuse(label, `${id}, which runs on the CPU`);
  return { label, variant, precision: wanted ?? null, gpu: Number(device) };
}

/** Requested variants in their order. Throws a BraggError for an unknown or duplicate name. */
export function askedFor<V extends Labelled>(
  labels: readonly string[],
  variants: readonly V[],
  precisions: (variant: V) => readonly string[] = () => [],
): readonly Asked<V>[] {
  eachOnce(labels);
  return labels.map((label) => asked(label, variants, precisions));
}
