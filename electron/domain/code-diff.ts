/** Compares two texts (sources, PTX or SASS) by lines, and by words within lines. Does not depend on React. */
import { diffArrays, diffWordsWithSpace } from 'diff';
import type { Code, CodeLanguage, CodeLine, KernelProfile } from '../contract/launches.ts';

/**
 * Time limit of a comparison, ms. Texts that need longer have little in common and are shown as completely different.
 */
const DIFF_TIMEOUT_MS = 2000;

export interface DiffSide {
  /** Line number, starting at 1. */
  readonly line: number;
  readonly text: string;
  /** Ranges of characters that differ from the line in the other text. */
  readonly changed: readonly (readonly [from: number, to: number])[];
}

export interface DiffRow {
  readonly kind: 'same' | 'changed' | 'left' | 'right';
  readonly left: DiffSide | null;
  readonly right: DiffSide | null;
}

/**
 * Paired lines with a smaller fraction of common text than this have no highlighted ranges, because all of the line
 * changed.
 */
const MIN_COMMON = 0.35;

interface ChangedParts {
  readonly left: DiffSide['changed'];
  readonly right: DiffSide['changed'];
  readonly common: number;
}

function changedParts(left: string, right: string): ChangedParts {
  const [l, r]: [[number, number][], [number, number][]] = [[], []];
  let [atLeft, atRight, common] = [0, 0, 0];
  for (const { value, added, removed } of diffWordsWithSpace(left, right)) {
    if (added) r.push([atRight, atRight + value.length]);
    else if (removed) l.push([atLeft, atLeft + value.length]);
    else common += value.trim().length;
    if (!added) atLeft += value.length;
    if (!removed) atRight += value.length;
  }
  const most = Math.max(left.trim().length, right.trim().length);
  return { left: l, right: r, common: most === 0 ? 1 : common / most };
}

/** Compares texts line by line. Two lines count as equal if `alike` returns the same text for both. */
export function sourceDiff(
  left: readonly string[],
  right: readonly string[],
  alike: (text: string) => string = (text) => text,
): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let [atLeft, atRight] = [0, 0];
  const side = (text: string, line: number, changed: DiffSide['changed'] = []): DiffSide => ({ line, text, changed });
  const only = (removed: readonly string[], added: readonly string[]): void => {
    const paired = Math.min(removed.length, added.length);
    for (let i = 0; i < paired; i += 1) {
      const [a, b] = [removed[i] ?? '', added[i] ?? ''];
      const parts = changedParts(a, b);
      const similar = parts.common >= MIN_COMMON;
      const from = side(a, atLeft + i + 1, similar ? parts.left : []);
      const to = side(b, atRight + i + 1, similar ? parts.right : []);
      rows.push({ kind: 'changed', left: from, right: to });
    }
    for (let i = paired; i < removed.length; i += 1) {
      rows.push({ kind: 'left', left: side(removed[i] ?? '', atLeft + i + 1), right: null });
    }
    for (let i = paired; i < added.length; i += 1) {
      rows.push({ kind: 'right', left: null, right: side(added[i] ?? '', atRight + i + 1) });
    }
    atLeft += removed.length;
    atRight += added.length;
  };
  let waiting = 0;
  const skip = (removed: number, added: number): void =>
    only(left.slice(atLeft, atLeft + removed), right.slice(atRight, atRight + added));
  const parts = diffArrays(left.map(alike), right.map(alike), { timeout: DIFF_TIMEOUT_MS }) ?? [
    { removed: true, added: false, count: left.length },
    { removed: false, added: true, count: right.length },
  ];
  for (const { count, added, removed } of parts) {
    if (removed) waiting = count;
    else if (added) {
      skip(waiting, count);
      waiting = 0;
    } else {
      skip(waiting, 0);
      waiting = 0;
      for (let i = 0; i < count; i += 1) {
        rows.push({
          kind: 'same',
          left: side(left[atLeft] ?? '', atLeft + 1),
          right: side(right[atRight] ?? '', atRight + 1),
        });
        atLeft += 1;
        atRight += 1;
      }
    }
  }
  skip(waiting, 0);
  return rows;
}

/** Keeps rows within `around` lines of a difference. Each omitted range of rows is replaced by null. */
export function condenseRows(rows: readonly DiffRow[], around: number): readonly (DiffRow | null)[] {
  const near = rows.map(() => false);
  rows.forEach(({ kind }, i) => {
    if (kind === 'same') return;
    for (let j = Math.max(0, i - around); j <= Math.min(rows.length - 1, i + around); j += 1) near[j] = true;
  });
  const out: (DiffRow | null)[] = [];
  rows.forEach((row, i) => {
    if (near[i]) out.push(row);
    else if (i === 0 || near[i - 1]) out.push(null);
  });
  return out;
}

const SASS_NAMES: readonly (readonly [RegExp, string])[] = [
  [/\.reuse\b/g, ''],
  [/\b(U?R|U?P|B|SB)\d+\b/g, '$1'],
  [/\.L_x?_?\d+/g, '.L'],
];
const PTX_NAMES: readonly (readonly [RegExp, string])[] = [
  [/%([a-z]+)\d+/g, '%$1'],
  [/\$L__BB\d+_\d+/g, '$L'],
  [/\b[A-Za-z_$][\w$]*_param_(\d+)/g, 'param_$1'],
];

/** Removes register numbers and label names from a line, because compilers renumber them after any change. */
export const withoutRegisterNames =
  (language: CodeLanguage) =>
  (text: string): string =>
    (language === 'sass' ? SASS_NAMES : PTX_NAMES).reduce((out, [name, to]) => out.replace(name, to), text);

/**
 * Opcode of an instruction: `LDG` for `@!P0 LDG.E.CONSTANT R2, …`, `ld.global` for `@%p1 ld.global.f32 %f1, …`. Null
 * for other lines.
 */
function parseOpcode({ address, text }: CodeLine, language: CodeLanguage): string | null {
  const [first = '', second = ''] = text.split(' ');
  const word = (first.startsWith('@') ? second : first).replace(/;$/, '');
  if (language === 'sass') return address === null ? null : (word.split('.')[0] ?? null);
  return /^[a-z][\w.]*$/.test(word) && text.endsWith(';') ? word.split('.').slice(0, 2).join('.') : null;
}

interface OpcodeCount {
  readonly opcode: string;
  readonly left: number;
  readonly right: number;
}

/** Number of occurrences of each opcode in both listings, ordered by their difference, largest first. */
export function opcodeCounts(
  left: readonly CodeLine[],
  right: readonly CodeLine[],
  language: CodeLanguage,
): readonly OpcodeCount[] {
  const counts = new Map<string, { left: number; right: number }>();
  for (const [side, lines] of [
    ['left', left],
    ['right', right],
  ] as const) {
    for (const line of lines) {
      const opcode = parseOpcode(line, language);
      if (opcode === null) continue;
      const count = counts.get(opcode) ?? { left: 0, right: 0 };
      count[side] += 1;
      counts.set(opcode, count);
    }
  }
  return [...counts]
    .map(([opcode, count]) => ({ opcode, ...count }))
    .sort(
      (a, b) =>
        Math.abs(b.right - b.left) - Math.abs(a.right - a.left) ||
        b.left + b.right - a.left - a.right ||
        (a.opcode < b.opcode ? -1 : 1),
    );
}

export const listInstructions = (lines: readonly CodeLine[], language: CodeLanguage): number =>
  lines.filter((line) => parseOpcode(line, language) !== null).length;

/** Counter value of a line, and its fraction of the kernel's total. */
export interface LineHeat {
  readonly value: number;
  readonly share: number;
  readonly reason: string | null;
}

/** Counter values for the lines of a listing, and for source lines by `path:line`. */
export interface ListingHeat {
  readonly lines: readonly (LineHeat | null)[];
  readonly sources: ReadonlyMap<string, LineHeat>;
}

/** Warning if the counters were measured on different machine code than the listing; null if they match. */
export function codeMismatchWarning({ lines }: Pick<Code, 'lines'>, hot: KernelProfile | null): string | null {
  const listed = lines.filter(({ address }) => address !== null).length;
  const counted = hot?.places.filter(({ address }) => address !== null).length ?? 0;
  return hot === null || counted === 0 || counted === listed
    ? null
    : `${hot.kernel}: the counters have ${counted} instructions, the listing has ${listed}. The counters are from another build, so shares may be shown at wrong lines.`;
}

/**
 * Assigns counter values to lines: by instruction address if the profile has addresses, otherwise by file and line.
 */
export function listingHeat({ lines, files }: Pick<Code, 'lines' | 'files'>, hot: KernelProfile | null): ListingHeat {
  const sources = new Map<string, LineHeat>();
  if (hot === null || hot.total === 0) return { lines: lines.map(() => null), sources };
  const heat = (value: number, reason: string | null): LineHeat => ({ value, share: value / hot.total, reason });
  const at = new Map(hot.places.flatMap((one) => (one.address === null ? [] : [[one.address, one] as const])));
  const add = (path: string, line: number, value: number, reason: string | null): void => {
    const key = `${path}:${line}`;
    const before = sources.get(key);
    const most = before === undefined || before.value < value ? reason : before.reason;
    sources.set(key, heat((before?.value ?? 0) + value, most));
  };
  for (const { file, line, value, reason } of hot.places) {
    const known = file === null ? undefined : files.find(({ path }) => file.endsWith(path));
    if (known !== undefined && line !== null) add(known.path, line, value, reason);
  }
  const own = lines.map(({ address, file, line }) => {
    const found = address === null ? undefined : at.get(address);
    if (found === undefined) return null;
    const known = file === null ? undefined : files[file];
    if (known !== undefined && line !== null) add(known.path, line, found.value, found.reason);
    return heat(found.value, found.reason);
  });
  return { lines: own, sources };
}

/** Source position such as `reduction.cu:16`; empty without line information. */
export function sourcePosition({ files }: Pick<Code, 'files'>, { file, line }: CodeLine): string {
  const found = file === null ? undefined : files[file];
  return found === undefined || line === null ? '' : `${found.path.split('/').at(-1)}:${line}`;
}

export const addressText = (address: number | null): string =>
  address === null ? '' : address.toString(16).padStart(4, '0');
