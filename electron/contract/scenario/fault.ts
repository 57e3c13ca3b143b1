/** An error in a document, before its file and line are known. */
import { showValue } from './issue-text.ts';
import type { Path } from './path.ts';
import { suggest } from './suggest.ts';

export interface Fault {
  readonly severity: 'error' | 'warning';
  readonly path: Path;
  /** The key itself is invalid, not its value. */
  readonly atKey: boolean;
  readonly message: string;
  readonly value: string | null;
  readonly allowed: string | null;
}

/** An error about the value at `path`: "`value` `says`; allowed: `allowed`". */
export function fault(path: Path, value: unknown, says: string, allowed: string): Fault {
  const shown = showValue(value);
  return {
    severity: 'error',
    path,
    atKey: false,
    message: `${shown} ${says}; allowed: ${allowed}`,
    value: shown,
    allowed,
  };
}

/** A warning about the value at `path`, which is used as it is. */
export function warning(path: Path, value: unknown, message: string): Fault {
  return { severity: 'warning', path, atKey: false, message, value: showValue(value), allowed: null };
}

/** The variant of a solver where it is none of `variants` and not left to choose. */
export function unknownVariant(variant: string, variants: readonly string[]): readonly Fault[] {
  const known = ['auto', ...variants];
  if (known.includes(variant)) return [];
  const near = suggest(variant, known);
  const says = near === null ? 'is not known' : `is not known (did you mean ${near}?)`;
  return [fault(['solver', 'variant'], variant, says, known.join(', '))];
}

/** A key that has to be there and is not. */
export function missing(path: Path, allowed: string): Fault {
  return { severity: 'error', path, atKey: true, message: `is missing; needed: ${allowed}`, value: null, allowed };
}
