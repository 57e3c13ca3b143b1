/** PTX or SASS of one kernel as text, or the differences between two kernels. */

import type { Code, KernelProfile } from '../../contract/launches.ts';
import {
  addressText,
  codeMismatchWarning,
  condenseRows,
  listInstructions,
  listingHeat,
  opcodeCounts,
  sourceDiff,
  sourcePosition,
  withoutRegisterNames,
} from '../../domain/code-diff.ts';
import { computeOccupancy, type LaunchLimits } from '../../domain/launch/occupancy.ts';
import { formatBytes, shareText } from '../../domain/values/units.ts';
import { formatTable } from '../table.ts';

const DEFAULT_THREADS = 256;
/** Number of lines shown before and after a difference. */
const CONTEXT_LINES = 2;
/** Width of each side when differences are shown side by side, columns. */
const SIDE_WIDTH = 52;
const MAX_OPCODES = 12;

interface CodeReportOptions {
  readonly bold: (text: string) => string;
  readonly differs: (text: string) => string;
  readonly limits: LaunchLimits | null;
  readonly hot: readonly KernelProfile[];
  /** Whether differences in register and label names count. */
  readonly exact: boolean;
  /** Whether to show all lines instead of those near differences. */
  readonly whole: boolean;
}

function resourceRows(sides: readonly Code[], limits: LaunchLimits | null): readonly (readonly string[])[] {
  const row = (title: string, of: (resource: NonNullable<Code['resource']>) => string): readonly string[] => [
    title,
    ...sides.map(({ resource }) => (resource === null ? '–' : of(resource))),
  ];
  const spilled = ({ spill_store_bytes: stores, spill_load_bytes: loads }: NonNullable<Code['resource']>): string =>
    stores === null || loads === null ? 'not reported' : `${stores} B stored, ${loads} B loaded`;
  return [
    row('Registers', ({ registers }) => `${registers} per thread`),
    row('Spills', spilled),
    row('Stack', ({ stack_bytes }) => `${stack_bytes} B per thread`),
    row('Shared memory', ({ shared_bytes }) => formatBytes(shared_bytes)),
    row('Occupancy', (resource) => {
      if (limits === null) return '–';
      const threads = resource.max_threads ?? DEFAULT_THREADS;
      const { share, limitedBy } = computeOccupancy(resource, limits, threads);
      return `${shareText(share, 3)} at ${threads} threads (${limitedBy.join(', ')})`;
    }),
    [
      'Instructions',
      ...sides.map(({ lines, language }) => (lines.length === 0 ? '–' : String(listInstructions(lines, language)))),
    ],
    ['Made by', ...sides.map(({ by }) => by)],
  ];
}

const findProfile = (hot: readonly KernelProfile[], { kernel }: Code): KernelProfile | null =>
  hot.find((one) => one.kernel === kernel) ?? null;

const fitToColumn = (text: string): string =>
  text.length > SIDE_WIDTH ? `${text.slice(0, SIDE_WIDTH - 1)}…` : text.padEnd(SIDE_WIDTH);

function listingLines(code: Code, { hot }: CodeReportOptions): readonly string[] {
  const heat = listingHeat(code, findProfile(hot, code)).lines;
  const isHot = heat.some((one) => one !== null);
  return code.lines.map((line, i) => {
    const found = heat[i];
    const share = found == null || found.value === 0 ? '' : shareText(found.share, 2);
    const place = sourcePosition(code, line);
    const counted = isHot ? `${share.padStart(6)}  ` : '';
    const why = found?.reason == null || share === '' ? '' : `, ${found.reason}`;
    return `${counted}${addressText(line.address).padStart(4)}  ${line.text.padEnd(SIDE_WIDTH)}  ${place}${why}`.trimEnd();
  });
}

function differenceLines(left: Code, right: Code, look: CodeReportOptions): readonly string[] {
  const texts = ({ lines }: Code): string[] => lines.map(({ text }) => text);
  const all = sourceDiff(texts(left), texts(right), look.exact ? undefined : withoutRegisterNames(left.language));
  const differing = all.filter(({ kind }) => kind !== 'same').length;
  const marks = { same: ' ', changed: '|', left: '<', right: '>' } as const;
  const opcodes = opcodeCounts(left.lines, right.lines, left.language).filter((one) => one.left !== one.right);
  const countChanges = opcodes.slice(0, MAX_OPCODES).map((one) => `${one.opcode} ${one.left} → ${one.right}`);
  const place = (code: Code, line: number | undefined): string => {
    const at = line === undefined ? undefined : code.lines[line - 1];
    return at === undefined ? '' : addressText(at.address);
  };
  const rows = look.whole ? all : condenseRows(all, CONTEXT_LINES);
  return [
    `${differing} of ${all.length} lines differ${look.exact ? '' : ', ignoring names of registers and labels'}`,
    ...(countChanges.length === 0
      ? []
      : [
          `Instructions with different counts: ${countChanges.join(', ')}${opcodes.length > countChanges.length ? ', …' : ''}`,
        ]),
    '',
    ...rows.map((row) => {
      if (row === null) return '   ⋯';
      const { kind, left: a, right: b } = row;
      const text = `${place(left, a?.line).padStart(4)} ${fitToColumn(a?.text ?? '')} ${marks[kind]} ${place(right, b?.line).padStart(4)} ${b?.text ?? ''}`;
      return kind === 'same' ? text.trimEnd() : look.differs(text.trimEnd());
    }),
  ];
}

/** Lines of one listing, or of two listings side by side. */
export function codeLines(sides: readonly [Code] | readonly [Code, Code], look: CodeReportOptions): readonly string[] {
  const [first, second] = sides;
  const missing = [...new Set(sides.map((one) => one.missing).filter((one) => one !== null))];
  const others = sides.flatMap((code) => codeMismatchWarning(code, findProfile(look.hot, code)) ?? []);
  const dropped = sides.reduce((sum, one) => sum + one.dropped, 0);
  const titles = sides.map(({ kernel, architecture }) => `${kernel} (${architecture})`);
  return [
    ...formatTable([{ title: '' }, ...titles.map((title) => ({ title }))], resourceRows(sides, look.limits), {
      styleTitle: look.bold,
    }),
    ...(missing.length === 0 ? [] : ['', ...missing]),
    ...(others.length === 0 ? [] : ['', ...others]),
    ...(first.lines.length === 0
      ? []
      : [
          '',
          ...(second === undefined
            ? listingLines(first, look)
            : second.lines.length === 0
              ? []
              : differenceLines(first, second, look)),
        ]),
    ...(dropped === 0 ? [] : [`${dropped} lines beyond the limit are not shown.`]),
  ];
}
