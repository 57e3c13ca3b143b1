/** Reads tunable constants from C++ and Python sources, and replaces their values. */
import { BraggError } from '../../../contract/errors.ts';
import type { Configuration } from '../../../contract/tuning/configured.ts';

/** Position of a constant's value in a text. */
interface TextSpan {
  readonly from: number;
  readonly to: number;
}

const escapePattern = (name: string): string => name.replaceAll('$', '\\$');

/**
 * Positions of a constant's values in its declarations: `BB_TUNABLE(int, kTile, 32)`, `BB_TUNABLE_90(int, kTile, 32,
 * 64)`, `constexpr int kTile = 32, kRows = 8;`, `#define kTile 32`, in Python `TILE = 32`. A declaration with a
 * separate value for a GPU generation has two positions.
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
 * Values in the source; for a constant that differs by GPU, the general one. Throws BraggError `invalid` for an unknown
 * constant.
 */
export const constantsOf = (text: string, names: readonly string[], file: string): Configuration =>
  valuesOf(text, names, file, 0);

/** Values in the source that apply to GPUs from Hopper on. */
export const constantsSince90 = (text: string, names: readonly string[], file: string): Configuration =>
  valuesOf(text, names, file, -1);

/**
 * The text with other values, which apply to every GPU; line numbers do not change. Throws BraggError `invalid` for an
 * unknown constant.
 */
export function withConstants(text: string, configuration: Configuration, file: string): string {
  const stretches = Object.entries(configuration).flatMap(([name, value]) =>
    declarationOf(text, name, file).map((stretch) => ({ ...stretch, value })),
  );
  let changed = text;
  for (const { from, to, value } of stretches.toSorted((a, b) => b.from - a.from))
    changed = `${changed.slice(0, from)}${value}${changed.slice(to)}`;
  return changed;
}
