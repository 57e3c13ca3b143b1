/** Reads the hot lines of kernels from the source page of Nsight Compute: `ncu --import FILE --page source --csv`. */
import { BraggError } from '../../../contract/errors.ts';
import type { KernelProfile } from '../../../contract/launches.ts';

/** Columns by which lines are ranked, the most informative first. */
const COUNTED_COLUMNS = [
  'Warp Stall Sampling (All Samples)',
  'Warp Stall Sampling (All Cycles)',
  '# Samples',
  'Samples',
  'Instructions Executed',
] as const;
const MAX_KERNELS = 1000;
const MAX_PLACES = 100_000;

/** Reasons for which warps wait, by the short names in ncu's column heads. */
const STALL_REASONS: Readonly<Record<string, string>> = {
  long_sb: 'long scoreboard',
  short_sb: 'short scoreboard',
  lg: 'LG throttle',
  mio: 'MIO throttle',
  tex: 'TEX throttle',
  math: 'math pipe throttle',
  imc: 'IMC miss',
  no_inst: 'no instruction',
};
/** Reasons that are not waits: the warp was selected, or could have been. */
const NOT_WAITING = new Set(['selected', 'not_selected']);

interface TableHead {
  readonly counted: string;
  readonly columns: number;
  readonly source: number;
  readonly value: number;
  readonly address: number;
  readonly line: number;
  /** Name and index of each column with a reason for waiting. */
  readonly reasons: readonly (readonly [name: string, column: number])[];
}

function parseHead(cells: readonly string[]): TableHead | null {
  const [address, line] = [cells.indexOf('Address'), cells.findIndex((cell) => cell === 'Line No' || cell === '#')];
  const source = cells.indexOf('Source');
  if (source < 0 || (address < 0 && line < 0)) return null;
  const counted = COUNTED_COLUMNS.find((name) => cells.includes(name));
  if (counted === undefined) return null;
  const reasons = cells.flatMap((name, column) =>
    name.startsWith('stall_') && !/not.issued/i.test(name) && !NOT_WAITING.has(name.slice(6))
      ? [[STALL_REASONS[name.slice(6)] ?? name.slice(6).replaceAll('_', ' '), column] as const]
      : [],
  );
  return { counted, columns: cells.length, source, value: cells.indexOf(counted), address, line, reasons };
}

/** A whole number with thousands separators, which depend on the locale of ncu. */
const GROUPED_NUMBER = /^\d{1,3}(?:[.,'’]\d{3})+$/;

/** Parses a count, which is a whole number. Null for an empty cell or a dash, which ncu prints if it has no number. */
function parseCount(cell: string | undefined): number | null {
  const text = (cell ?? '').replaceAll(/\s/g, '');
  const plain = GROUPED_NUMBER.test(text) ? text.replaceAll(/\D/g, '') : text;
  const value = plain === '' ? Number.NaN : Number(plain);
  return Number.isFinite(value) && value >= 0 ? value : null;
}

function mainStallReason(cells: readonly string[], { reasons }: TableHead): string | null {
  const [most] = reasons
    .map(([name, column]) => ({ name, value: parseCount(cells[column]) ?? 0 }))
    .sort((a, b) => b.value - a.value);
  return most === undefined || most.value === 0 ? null : most.name;
}

/** Cells of a row. ncu does not escape quotes within a source line, so such a line may look like several cells. */
function splitRow(line: string, head: TableHead | null): readonly string[] {
  const cells = line
    .replace(/^"/, '')
    .replace(/",?\s*$/, '')
    .split('","');
  const more = head === null ? 0 : cells.length - head.columns;
  if (head === null || more <= 0) return cells;
  const { source } = head;
  return [
    ...cells.slice(0, source),
    cells.slice(source, source + more + 1).join('","'),
    ...cells.slice(source + more + 1),
  ];
}

interface KernelDraft {
  readonly kernel: string;
  file: string | null;
  head: TableHead | null;
  /**
   * Address of the kernel's first instruction. It is subtracted from the addresses in a report, which are absolute.
   */
  first: number | null;
  readonly places: KernelProfile['places'];
}

/** Name of a kernel without parameters. */
const kernelNameOf = (text: string): string => text.replace(/\(.*$/, '').trim().split(/\s+/).at(-1) ?? '';

function addLocation(into: KernelDraft, cells: readonly string[], head: TableHead): void {
  const value = parseCount(cells[head.value]);
  const text = cells[head.address] ?? '';
  const isInstruction = head.address >= 0 && /^(0x)?[0-9a-f]+$/i.test(text);
  if (isInstruction) {
    // The absolute address is converted to an offset from the kernel's first instruction.
    const at = Number.parseInt(text, text.startsWith('0x') || /[a-f]/i.test(text) ? 16 : 10);
    if (!Number.isSafeInteger(at)) return;
    into.first ??= at;
    if (value !== null && at >= into.first) {
      const reason = mainStallReason(cells, head);
      into.places.push({ address: at - into.first, file: null, line: null, value, reason });
    }
    return;
  }
  const line = parseCount(cells[head.line]);
  if (value === null || line === null || into.file === null || !Number.isInteger(line)) return;
  into.places.push({ address: null, file: into.file, line, value, reason: mainStallReason(cells, head) });
}

/**
 * Reads kernels with their hot lines. Counts of several launches of a kernel are added. Throws a BraggError `invalid`.
 */
export function readSourcePage(text: string, name: string): readonly KernelProfile[] {
  const all = new Map<string, KernelProfile>();
  let open: KernelDraft | null = null;
  let file: string | null = null;
  const seen = new Set<string>();
  const close = (): void => {
    if (open === null || open.head === null || open.places.length === 0) return;
    const { kernel, head, places, first } = open;
    // ncu may print a launch twice; the second one is skipped.
    const same = JSON.stringify([kernel, head.counted, first, places]);
    if (seen.has(same)) return;
    seen.add(same);
    const before = all.get(kernel);
    const sums = new Map<string, KernelProfile['places'][number]>();
    for (const place of [...(before?.places ?? []), ...places]) {
      const key = `${place.address} ${place.file} ${place.line}`;
      const known = sums.get(key);
      sums.set(key, known === undefined ? place : { ...known, value: known.value + place.value });
    }
    const summed = [...sums.values()];
    all.set(kernel, {
      ...{ kernel, counted: head.counted, places: summed },
      total: summed.reduce((sum, { value }) => sum + value, 0),
    });
  };
  for (const line of text.split(/\r?\n/)) {
    if (!line.startsWith('"')) continue;
    const cells = splitRow(line, open?.head ?? null);
    const [first = '', second = ''] = cells;
    if (first === 'Kernel Name') {
      close();
      if (all.size >= MAX_KERNELS) break;
      open = { kernel: kernelNameOf(second), file: null, head: null, first: null, places: [] };
      continue;
    }
    if (first === 'File Name' || first === 'File Path') {
      file = second;
      if (open !== null) open.file = file;
      continue;
    }
    const head = parseHead(splitRow(line, null));
    if (head !== null) {
      open ??= { kernel: '', file, head: null, first: null, places: [] };
      open.head = head;
      continue;
    }
    if (open !== null && open.head !== null && open.places.length < MAX_PLACES) addLocation(open, cells, open.head);
  }
  close();
  if (all.size === 0) {
    throw new BraggError(
      'invalid',
      `${name}: it has no source counters; allowed: the CSV of ncu --import REPORT --page source --csv, from a report with --section SourceCounters`,
    );
  }
  return [...all.values()];
}
