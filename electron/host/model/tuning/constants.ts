/** Constants in C++ sources: what they are, and a text in which they are something else. */
import { BraggError } from '../../../contract/errors.ts';
import type { Configuration } from '../../../contract/tuning/configured.ts';

/** Where the value of a constant stands in a text. */
interface Place {
  readonly from: number;
  readonly to: number;
}

const escaped = (name: string): string => name.replaceAll('$', '\\$');

/** `BB_TUNABLE(int, kTile, 32)`, `constexpr int kTile = 32, kRows = 8;`, `#define kTile 32`. */
function placesOf(text: string, name: string): readonly Place[] {
  const own = escaped(name);
  const forms = [
    new RegExp(`BB_TUNABLE\\(\\s*\\w+\\s*,\\s*${own}\\s*,\\s*(-?\\d+)`, 'dg'),
    new RegExp(`\\bconstexpr\\b[^;{}()=]*(?:=[^;{}()=]*)*?\\b${own}\\s*=\\s*(-?\\d+)(?=[uUlL]*\\s*[,;])`, 'dg'),
    new RegExp(`^[ \\t]*#[ \\t]*define[ \\t]+${own}[ \\t]+(-?\\d+)[ \\t]*(?://.*)?$`, 'dgm'),
  ];
  return forms.flatMap((form) =>
    [...text.matchAll(form)].flatMap((found) => {
      const [from, to] = found.indices?.[1] ?? [];
      return from === undefined || to === undefined ? [] : [{ from, to }];
    }),
  );
}

function placeOf(text: string, name: string, file: string): Place {
  const [place, ...more] = placesOf(text, name);
  if (place !== undefined && more.length === 0) return place;
  const says = place === undefined ? 'is no constant with a whole number' : `stands there ${more.length + 1} times`;
  throw new BraggError('invalid', `${file}: ${name} ${says}; allowed: one constexpr int ${name} = …`);
}

/** What the source says. Throws BraggError `invalid` for a name that is no constant there. */
export function constantsOf(text: string, names: readonly string[], file: string): Configuration {
  return Object.fromEntries(
    names.map((name) => {
      const { from, to } = placeOf(text, name, file);
      return [name, Number(text.slice(from, to))];
    }),
  );
}

/** The text with other values; no line moves. Throws BraggError `invalid` for a name that is no constant there. */
export function withConstants(text: string, configuration: Configuration, file: string): string {
  const places = Object.entries(configuration).map(([name, value]) => ({ ...placeOf(text, name, file), value }));
  let changed = text;
  for (const { from, to, value } of places.toSorted((a, b) => b.from - a.from))
    changed = `${changed.slice(0, from)}${value}${changed.slice(to)}`;
  return changed;
}
