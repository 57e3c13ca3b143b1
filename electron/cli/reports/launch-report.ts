/** Text report on a kernel launch. */
import {
  elementsOfThread,
  type Launch,
  occupancyCurve,
  threadPosition,
  threadsAlongX,
} from '../../domain/launch/launch.ts';
import { type LaunchedKernel, type LaunchLimits, limiters } from '../../domain/launch/occupancy.ts';
import {
  explainReduction,
  type ReductionKind,
  reductionKinds,
  reductionTitles,
} from '../../domain/launch/reduction.ts';
import { shortNumberText } from '../../domain/numbers.ts';
import { formatBytes, shareText } from '../../domain/values/units.ts';
import { formatBar } from '../progress-bar.ts';
import { formatPairs, formatTable, wrap } from '../table.ts';

const WIDTH = 88;

const integerText = (value: number): string => Math.round(value).toLocaleString('en').replaceAll(',', ' ');
const formatShare = (value: number | null): string => (value === null ? '–' : shareText(value, 3));
const formatExtent = (values: readonly number[]): string => values.map(integerText).join(' × ');

/** Lines that list the elements of the first and last threads and of those at block boundaries. */
function mapLines(launch: Launch): readonly string[] {
  const threads = threadsAlongX(launch);
  const [width] = launch.request.block;
  const wanted = [0, 1, width - 1, width, threads - width, threads - 1].filter((one) => one >= 0 && one < threads);
  const rows = [...new Set(wanted)]
    .sort((a, b) => a - b)
    .map((thread) => {
      const { block, lane, warp } = threadPosition(launch, thread);
      const { first, count } = elementsOfThread(launch, thread, 3);
      const more = count > first.length ? `, … (${integerText(count)} in all)` : '';
      return [
        integerText(thread),
        integerText(block),
        `${lane} (warp ${warp})`,
        count === 0 ? 'none: it exits at once' : `${first.map(integerText).join(', ')}${more}`,
      ];
    });
  const right = { align: 'right' } as const;
  return formatTable(
    [
      { title: 'thread', ...right },
      { title: 'block', ...right },
      { title: 'of its block', ...right },
      { title: 'elements' },
    ],
    rows,
  ).map((text) => `  ${text}`);
}

function reductionLines(kind: ReductionKind, threads: number): readonly string[] {
  const { steps, barriers, warps, divergent, worstWays } = explainReduction(kind, threads);
  const rows = steps.map((step, i) => [
    String(i + 1),
    step.text,
    String(step.threads),
    String(step.warps),
    step.divergent === 0 ? '' : String(step.divergent),
    step.ways < 2 ? '' : `${step.ways}-way`,
  ]);
  const right = { align: 'right' } as const;
  const columns = [
    { title: '', ...right },
    { title: 'step' },
    { title: 'threads', ...right },
    { title: 'warps', ...right },
    { title: 'divergent', ...right },
    { title: 'bank conflict', ...right },
  ];
  const conflict = worstWays > 1 ? `, bank conflicts up to ${worstWays}-way` : '';
  const total = `${barriers} barrier${barriers === 1 ? '' : 's'}, ${warps} warp steps, ${divergent} of them divergent${conflict}`;
  return [`  ${reductionTitles[kind]}: ${total}`, ...formatTable(columns, rows).map((text) => `    ${text}`)];
}

export interface LaunchSubject {
  /** Kernel name such as `dense_fill_f32 (transport)`, or a description if only numbers were given. */
  readonly title: string;
  readonly kernel: LaunchedKernel;
  readonly limits: LaunchLimits;
  /** Resident blocks per multiprocessor according to the driver; null if it was not queried. */
  readonly driverBlocks: number | null;
}

/** Occupancy for every second block size, up to the first one that cannot be launched. */
function occupancyLines({ kernel, limits }: LaunchSubject, { request, threadsPerBlock }: Launch): readonly string[] {
  const curve = occupancyCurve(kernel, limits, request.dynamic_bytes);
  const refused = curve.find(({ occupancy }) => occupancy.blocks === 0);
  const lines = curve
    .filter(({ threads, occupancy }) => occupancy.blocks > 0 && (threads % 64 === 0 || threads === 32))
    .map(({ threads, occupancy: { share: full, limitedBy } }) => {
      const mark = threads === threadsPerBlock ? ' ←' : '';
      return `  ${String(threads).padStart(4)}  ${formatBar(full, 20)} ${formatShare(full).padStart(6)}  ${limitedBy.join(', ')}${mark}`;
    });
  if (refused === undefined) return lines;
  const { threads, occupancy } = refused;
  return [...lines, `  ${String(threads).padStart(4)}  and more cannot be launched: ${occupancy.limitedBy.join(', ')}`];
}

interface LaunchReportOptions {
  readonly bold: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly refuse: (text: string) => string;
  readonly reductions: boolean;
}

export function launchLines(subject: LaunchSubject, launch: Launch, look: LaunchReportOptions): readonly string[] {
  const { kernel, limits, title, driverBlocks } = subject;
  const { occupancy, waves, request } = launch;
  const bounds = kernel.max_threads ?? null;
  const lines: string[] = [
    look.bold(title),
    ...formatPairs([
      ['Registers', `${kernel.registers} per thread`],
      ['Shared memory', `${formatBytes(kernel.shared_bytes)} static, ${formatBytes(request.dynamic_bytes)} dynamic`],
      ...(bounds === null ? [] : [['Launch bounds', `${bounds} threads`] as const]),
      [
        'On',
        `${limits.name} (${limits.architecture}), ${limits.multiprocessors} multiprocessors, ${limits.origin === 'driver' ? 'as reported by its driver' : 'as published'}`,
      ],
    ]),
    '',
    look.bold('Launch'),
    ...formatPairs([
      [
        'Grid',
        `${formatExtent(launch.grid)} blocks${launch.blocks === launch.grid[0] ? '' : `, ${integerText(launch.blocks)} in all`}`,
      ],
      [
        'Block',
        `${formatExtent(request.block)} threads, ${Math.ceil(launch.threadsPerBlock / limits.warpThreads)} warps`,
      ],
      [
        'Threads',
        `${integerText(launch.threads)} for ${integerText(launch.elements)} elements; ${formatShare(launch.threadsUsed)} process one`,
      ],
      [
        'Per thread',
        `${integerText(launch.elementsPerThread)} element${launch.elementsPerThread === 1 ? '' : 's'} at most`,
      ],
      ['Last block', `${formatShare(launch.lastBlockUsed)} of its threads process an element`],
    ]),
    '',
    look.bold('On a multiprocessor'),
    ...formatPairs([
      [
        'Resident',
        `${occupancy.blocks} blocks, ${occupancy.warps} warps: occupancy ${formatShare(occupancy.share)}${driverBlocks === null ? '' : driverBlocks === occupancy.blocks ? '; the driver reports the same' : `; the driver reports ${driverBlocks} blocks`}`,
      ],
      ['Limited by', occupancy.limitedBy.join(', ')],
      [
        'Each allows',
        limiters
          .filter((limiter) => Number.isFinite(occupancy.allows[limiter]))
          .map((limiter) => `${limiter} ${occupancy.allows[limiter]}`)
          .join(', '),
      ],
      [
        'Waves',
        waves === null
          ? 'none: no block fits'
          : `${shortNumberText(waves, 4)} of ${integerText(launch.residentBlocks)} blocks; the last is ${formatShare(launch.lastWaveUsed)} full, ${formatShare(launch.tail)} of the time is its tail`,
      ],
    ]),
    '',
    look.bold('Occupancy by block size'),
    ...occupancyLines(subject, launch),
    '',
    look.bold(
      request.mapping === 'grid-stride' ? 'Threads and elements, grid-stride' : 'Threads and elements, one each',
    ),
    ...mapLines(launch),
  ];
  if (look.reductions) {
    lines.push('', look.bold(`Sum over the ${launch.threadsPerBlock} threads of a block`));
    for (const kind of reductionKinds) lines.push(...reductionLines(kind, launch.threadsPerBlock));
  }
  if (launch.notes.length > 0) lines.push('');
  for (const { severity, text } of launch.notes) {
    const head = severity === 'refused' ? look.refuse('cannot be launched') : look.warn('note');
    lines.push(...wrap(text, WIDTH).map((part, i) => (i === 0 ? `${head}  ${part}` : `  ${part}`)));
  }
  return lines;
}
