/** Finds tunable constants in C++ and Python source texts, reads their values and replaces them. */
import { BraggError } from '../../../contract/errors.ts';
import type { Configuration } from '../../../contract/tuning/configured.ts';

/** Range of a constant's value in a source text. */
interface TextSpan {
  readonly from: number;
  readonly to: number;
}

const escapePattern = (name: string): string => name.replaceAll('$', '\\$');

/**
 * Positions of the values in the declarations of a constant. Supported forms: `BB_TUNABLE(int, kTile, 32)`,
 * `BB_TUNABLE_90(int, kTile, 32, 64)`, `constexpr int kTile = 32, kRows = 8;`, `#define kTile 32`, and in Python `TILE
 * = 32`. BB_TUNABLE_90 has two positions, because it has a separate value for newer GPUs.
 */
function declarationsOf(text: string, name: string, file: string): readonly (readonly TextSpan[])[] {
  const own = escapePattern(name);
  const python = new RegExp(`^${own}[ \\t]*=[ \\t]*(-?\\d+)[ \\t]*(?:#.*)?$`, 'dgm');
  const forms = file.endsWith('.py')
    ? [python]
    : [
        new RegExp(`BB_TUNABLE\\(\\s*\\w+\\s*,\\s*${own}\\s*,\\s*(-?\\d+)\\s*\\)`, 'dg'),
        new RegExp(`BB_TUNABLE_90\\(\\s*\\w+\\s*,\\s*${own}\\s*,\\s*(-?\\d+)\\s*,\\s*(-?\\d+)\\s*\\)`, 'dg'),
        new RegExp(`\\bconstexpr\\b[^;{}()=]*(?:=[^;{}()=]*)*?\\b${own}\\s*=\\s*(-?\\d+)(?=[uUlL]*\\s*[,;])`, 'dg'),
        new RegExp(`^[ \\t]*#[ \\t]*define[ \\t]+${own}[ \\t]+(-?\\d+)[ \\t]*(?://.*)?$`, 'dgm'),
      ];
  return forms.flatMap((form) =>
    [...text.matchAll(form)].map((found) =>
      (found.indices ?? []).slice(1).flatMap((ends) => (ends === undefined ? [] : [{ from: ends[0], to: ends[1] }])),
    ),
  );
}

function declarationOf(text: string, name: string, file: string): readonly TextSpan[] {
  const [declaration, ...more] = declarationsOf(text, name, file);
  if (declaration !== undefined && more.length === 0) return declaration;
  const says = declaration === undefined ? 'is not a constant whole number' : `occurs ${more.length + 1} times`;
  throw new BraggError(
    'invalid',
    `${file}: ${name} ${says}; allowed: one ${file.endsWith('.py') ? '' : 'constexpr int '}${name} = …`,
  );
}

function valuesOf(text: string, names: readonly string[], file: string, which: 0 | -1): Configuration {
  return Object.fromEntries(
    names.map((name) => {
      const value = declarationOf(text, name, file).at(which);
      return [name, Number(text.slice(value?.from, value?.to))];
    }),
  );
}

/**
 * Values of constants in a source text; for BB_TUNABLE_90 the value for older GPUs. Throws BraggError `invalid` for an
 * unknown constant.
 */
export const readConstants = (text: string, names: readonly string[], file: string): Configuration =>
  valuesOf(text, names, file, 0);

/** Values of constants in a source text that apply to GPUs from the Hopper generation (sm_90) on. */
export const readHopperConstants = (text: string, names: readonly string[], file: string): Configuration =>
  valuesOf(text, names, file, -1);

/**
 * Replaces values of constants in a source text, for all GPUs. Line numbers do not change. Throws BraggError `invalid`
 * for an unknown constant.
 */
export function replaceConstants(text: string, configuration: Configuration, file: string): string {
  const stretches = Object.entries(configuration).flatMap(([name, value]) =>
    declarationOf(text, name, file).map((stretch) => ({ ...stretch, value })),
  );
  let changed = text;
  for (const { from, to, value } of stretches.toSorted((a, b) => b.from - a.from))
    changed = `${changed.slice(0, from)}${value}${changed.slice(to)}`;
  return changed;
}
