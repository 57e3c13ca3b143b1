/**
 * Tables from recorded data other than rows of sessions: plan of GPU recordings, compute-sanitizer reports, parts of a
 * dense step. Also the list of all tables in the documents, to which a new table must be added.
 */
import { globSync } from 'node:fs';
import path from 'node:path';
import type { SessionReport } from '../../contract/bench/session.ts';
import { type DenseStep, readDenseStep } from '../bench/dense-step.ts';
import { recordedFile, recordingState, STATES, sessionName, workloadOf } from '../bench/gpu-plan.mjs';
import { GPU_SESSIONS } from '../bench/gpu-sessions.mjs';
import { readTargets } from '../bench/measured.ts';
import { readSanitizerRecord, type SanitizerRecord } from '../bench/sanitized.ts';
import {
  claimCounts,
  claimsByGpu,
  claimsTable,
  letAgainstMonteCarlo,
  planRangeTable,
  problemFormats,
  rangeText,
  reactionsAgainstMonteCarlo,
  shippedScenarios,
  spreadOutPeaks,
  usageTexts,
  verbsTable,
  waterBeams,
} from './programs.ts';
import {
  cheatVerdictTable,
  detectionRateTable,
  gateRateTable,
  measuredErrorRates,
  simulatedErrorRates,
} from './rates.ts';
import {
  code,
  digits,
  firstReport,
  imageTable,
  layerTable,
  machineTable,
  markdownTable,
  measuredEntry,
  modeTable,
  otherProgramTable,
  percent,
  root,
  runTable,
  seconds,
  session,
  times,
  twoGpuTable,
} from './sessions.ts';

const runsFolder = path.join(root, 'assets/runs');

const recordedSessions = (planned: { readonly file: string }): string | null => recordedFile(runsFolder, planned);

const TITLES: Readonly<Record<string, string>> = {
  transport: 'transport',
  diffraction: 'diffraction',
  'linear-relu': 'linear layer',
  micro: 'small workloads',
};

/** Files in assets/measured, in the order of the table. */
const SAVED_TARGETS = [
  'cpu',
  'start',
  'maps',
  'timeline',
  'gpu-h200',
  'gpu-h200-moments',
  'gpu-h100',
  'gpu-let',
  'gpu-two',
  'gpu-four',
] as const;

const gpuNameOf = ({ machine }: SessionReport): string => /H\d+/.exec(machine.gpu?.name ?? '')?.[0] ?? 'no GPU';
const numberedList = (values: readonly string[]): string =>
  [...Map.groupBy(values, (value) => value)].map(([value, all]) => `${value}: ${all.length}`).join(', ');

/** Table of planned and recorded sessions by workload, with GPU models and dates. */
function recordedTable(): string {
  const rooms = Map.groupBy(GPU_SESSIONS, workloadOf);
  const rows = [...rooms].map(([room, planned]) => {
    const recordedPlanned = planned
      .flatMap((one) => recordedSessions(one) ?? [])
      .map((file) => session(sessionName({ file })));
    const reports = recordedPlanned.flatMap((one) => one.reports.slice(0, 1));
    const days = recordedPlanned.map(({ created }) => created.slice(0, 10)).toSorted();
    const instances = reports.filter(({ judged }) => judged !== undefined).length;
    return [
      TITLES[room] ?? room,
      String(planned.length),
      numberedList(reports.map(gpuNameOf)),
      instances === 0 ? 'none' : String(instances),
      days.length === 0 ? '–' : [...new Set([days[0], days.at(-1)])].join(' to '),
    ];
  });
  return markdownTable(['Workload', '>Planned', 'Recorded, by GPU', '>Recorded with instances', 'Days'], rows);
}

/** Table of all recorded sessions by GPU and commit, ordered by number of sessions. */
function recordedCommitsTable(): string {
  const all = globSync('**/*.json', { cwd: runsFolder }).toSorted();
  const rows = all.flatMap((file) => {
    const { created, reports } = session(sessionName({ file: file.replaceAll('\\', '/') }));
    return reports.slice(0, 1).map((one) => ({ created, one }));
  });
  const groups = Map.groupBy(rows, ({ one }) => `${gpuNameOf(one)} ${one.program.commit?.slice(0, 8) ?? 'unknown'}`);
  return markdownTable(
    ['GPU', 'Commit', 'Day', '>Sessions', '>Sessions with instances'],
    [...groups.values()]
      .toSorted((a, b) => b.length - a.length)
      .map((group) => {
        const [first] = group.toSorted((a, b) => a.created.localeCompare(b.created));
        return [
          first === undefined ? '' : gpuNameOf(first.one),
          code(first?.one.program.commit?.slice(0, 8) ?? 'unknown'),
          first?.created.slice(0, 10) ?? '',
          String(group.length),
          String(group.filter(({ one }) => one.judged !== undefined).length),
        ];
      }),
  );
}

const STATE_WORDS: Readonly<Record<(typeof STATES)[number], string>> = {
  unrecorded: 'never recorded',
  'without-instances': 'recorded without instances',
  'earlier-judge': 'recorded with earlier checks',
  recorded: 'recorded',
};

/** Table of planned sessions that have no recording since JUDGE_SINCE. */
function unrecordedTable(): string {
  const byState = Map.groupBy(GPU_SESSIONS, (one) => recordingState(runsFolder, one));
  const rows = STATES.filter((state) => state !== 'recorded').flatMap((state) =>
    [...Map.groupBy(byState.get(state) ?? [], workloadOf)].map(([workload, all]) => [
      STATE_WORDS[state],
      TITLES[workload] ?? workload,
      String(all.length),
      all.map((one) => code(sessionName(one))).join(', '),
    ]),
  );
  return markdownTable(['State', 'Workload', '>Sessions', 'Names'], rows);
}

/** Table of targets, met or missed in the last recorded benchmarks. Targets that need a GPU are in separate files. */
function targetsTable(): string {
  const all = SAVED_TARGETS.map((name) => readTargets(root, name));
  const rows = all.flatMap(({ command, rows: measured }) =>
    measured
      .filter(({ needs }) => needs === null)
      .map((row) => [
        row.what,
        row.wanted,
        row.measured ?? 'not measured here',
        row.met === null ? '' : row.met ? 'met' : '**missed**',
        [row.bound, row.ratio].filter((one) => one !== null).join(', '),
        code(command),
      ]),
  );
  return markdownTable(['What', '>Wanted', '>Measured', '', 'Bound, and how far from it', 'Command'], rows);
}

/** Table of the machines on which targets were measured, with the commands. */
function targetMachinesTable(): string {
  const rows = SAVED_TARGETS.map((name) => {
    const { command, machine, created, commit } = readTargets(root, name);
    return [
      code(command),
      `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}`,
      String(machine.load),
      created.slice(0, 10),
      code(commit?.slice(0, 10) ?? 'unknown'),
    ];
  });
  return markdownTable(['Command', 'Machine', '>Load before', 'Day', 'Commit'], rows);
}

const COMMAND = code('npm run bench -- sanitized --keep');

function resultText({ errors, findings }: SanitizerRecord['runs'][number]): string {
  if (errors === 0) return 'nothing';
  return findings.map(({ what, file, line }) => `${what}${file === null ? '' : `, ${file}:${line ?? '?'}`}`).join('; ');
}

export function sanitizedTable(kept: SanitizerRecord | null): string {
  if (kept === null) return `Not recorded yet. Record it with ${COMMAND} on a machine with a GPU and the CUDA toolkit.`;
  const rows = kept.runs.map((run) => [code(run.variant), run.tool, String(run.errors), resultText(run)]);
  const first = kept.runs.flatMap(({ findings }) => findings)[0]?.more ?? '';
  return [
    markdownTable(['Variant', 'Tool', '>Errors', 'Message'], rows),
    '',
    `Measured on ${kept.gpu}, ${kept.created.slice(0, 10)}, commit ${code(kept.commit?.slice(0, 10) ?? 'unknown')}, by ${COMMAND}.${
      first === '' ? '' : ` Details of the first error: ${first}.`
    }`,
  ].join('\n');
}

const sanitizedFigure = (): string => sanitizedTable(readSanitizerRecord(path.resolve(root)));

/** Bytes of traffic for an FP32 value that is read once and written once. */
const BYTES_OF_A_CELL = 8;
const LANES = 32;

export function denseStepTable(kept: DenseStep | null): string {
  if (kept === null) return 'Not recorded yet.';
  const megabytes = (bytes: number): string => `${digits(bytes / 1e6)} MB`;
  const alone = (share: number): string => seconds(kept.time_s * share);
  const moved = kept.dram_read_bytes + kept.dram_written_bytes;
  const least = (kept.cells * BYTES_OF_A_CELL) / moved;
  const rows = [
    ['DRAM, as counted', `${megabytes(kept.dram_read_bytes)} read, ${megabytes(kept.dram_written_bytes)} written`],
    ['DRAM, each cell once', megabytes(kept.cells * BYTES_OF_A_CELL)],
    ['Shared memory', 'wavefronts'],
    ['Issue slots', `${digits((kept.instructions * LANES) / kept.cells, 2)} instructions per cell`],
    ['FMA pipe', 'of these'],
  ].map(([what = '', how = ''], i) => {
    const share = [kept.dram, kept.dram * least, kept.shared, kept.issue, kept.fma][i] ?? 0;
    return [what, how, percent(share), alone(share)];
  });
  const waits = kept.stalls.map(({ reason, share }) => `${reason} ${percent(share)}`).join(', ');
  return [
    markdownTable(['Unit', 'Of what', '>Busy', '>Time at full use of this unit'], rows),
    '',
    `Measured on ${kept.gpu} under ncu, with the kernel of commit ${code(kept.kernel_commit)}: a step takes ${seconds(kept.time_s)}, and multiprocessors are busy for ${percent(kept.busy)} of this time. A scheduler has ${digits(kept.warps)} active warps on average. Reasons for which warps wait: ${waits}.`,
    ...(kept.tried.length === 0
      ? []
      : [
          '',
          markdownTable(
            ['Design', '>A step'],
            kept.tried.map(({ what, time_s }) => [what, seconds(time_s)]),
          ),
        ]),
  ].join('\n');
}

const denseStep = (): string => denseStepTable(readDenseStep(root));

interface DocumentTable {
  /** Source of the data of the table. The last digit of a table from `solver` may depend on the machine. */
  readonly from: 'sessions' | 'program' | 'solver';
  make(): string | Promise<string>;
}

const openCommand = (file: string): string => code(`npx braggbench bench --open assets/runs/${file}.json`);

async function headline(): Promise<string> {
  const water = firstReport('h200-water-70MeV');
  const uniform = firstReport('h200-uniform-grid-70MeV');
  const cubic = firstReport('diffraction/h200-simple-cubic-1024');
  const layers = firstReport('linear-relu/layer-1024');
  const both = (of: typeof water, label: string): string => {
    const entry = measuredEntry(of, label);
    return `${seconds(entry.wall_s)} (${seconds(entry.time_s)})`;
  };
  const over = (of: typeof water, slow: string, fast: string): string =>
    times(measuredEntry(of, slow).time_s / measuredEntry(of, fast).time_s);
  const rival = measuredEntry(uniform, 'cupy-raw');
  return markdownTable(
    ['What', '>Figure', 'Command'],
    [
      [
        'R80 of a 150 MeV beam in water, and the CSDA range',
        await rangeText('water-150MeV'),
        code('npx braggbench run water-150MeV'),
      ],
      [
        '70 MeV beam on a GPU, warm end-to-end run (steps alone): `cuda-window`',
        both(water, 'cuda-window'),
        openCommand('h200-water-70MeV'),
      ],
      ['The same, `cuda-depth`', both(water, 'cuda-depth'), 'the same'],
      [
        '70 MeV beam on a uniform grid: `cuda-scatter`, an atomic addition per target cell',
        both(uniform, 'cuda-scatter'),
        openCommand('h200-uniform-grid-70MeV'),
      ],
      ['The same, `cuda-window`', both(uniform, 'cuda-window'), 'the same'],
      [
        "Time of the steps with CuPy's RawKernel, relative to `cuda-window`",
        times(rival.time_s / measuredEntry(uniform, 'cuda-window').time_s),
        'the same',
      ],
      [
        'Diffraction image in FP64: time with separate stages and temporaries, relative to one kernel',
        over(cubic, 'diffraction-cuda-unfused', 'diffraction-cuda-fp64'),
        openCommand('diffraction/h200-simple-cubic-1024'),
      ],
      [
        'Linear layer of 1024 × 784 × 2048: time of a naive fused kernel, relative to cuBLAS and a ReLU',
        over(layers, 'cuda-naive', 'cuda-cublas'),
        openCommand('linear-relu/layer-1024'),
      ],
      ['Published claims tested with recorded sessions', await claimCounts(), code('npx braggbench claims')],
    ],
  );
}

export const tables: Readonly<Record<string, DocumentTable>> = {
  headline: { from: 'solver', make: headline },
  'water-beams': { from: 'solver', make: () => waterBeams() },
  'shipped-scenarios': { from: 'solver', make: () => shippedScenarios() },
  'reactions-monte-carlo': { from: 'solver', make: reactionsAgainstMonteCarlo },
  'plan-offset': { from: 'solver', make: planRangeTable },
  'let-monte-carlo': { from: 'solver', make: letAgainstMonteCarlo },
  'spread-out-peaks': { from: 'solver', make: () => spreadOutPeaks() },
  'transport-water': { from: 'sessions', make: () => runTable('h200-water-70MeV') },
  'transport-uniform': { from: 'sessions', make: () => runTable('h200-uniform-grid-70MeV') },
  'transport-dense': { from: 'sessions', make: () => runTable('h200-dense-36M') },
  'dense-step': { from: 'sessions', make: denseStep },
  'transport-modes': { from: 'sessions', make: () => modeTable('h200-uniform-grid-70MeV') },
  rivals: {
    from: 'sessions',
    make: () => otherProgramTable('h200-uniform-grid-70MeV', 'h200-dense-36M'),
  },
  'image-still': { from: 'sessions', make: () => imageTable('diffraction/h200-simple-cubic-1024') },
  'image-rotation': { from: 'sessions', make: () => imageTable('diffraction/h200-rotation-100-orientations') },
  layers: { from: 'sessions', make: layerTable },
  machines: { from: 'sessions', make: machineTable },
  recorded: { from: 'sessions', make: recordedTable },
  'recorded-commits': { from: 'sessions', make: recordedCommitsTable },
  unrecorded: { from: 'sessions', make: unrecordedTable },
  targets: { from: 'sessions', make: targetsTable },
  'target-machines': { from: 'sessions', make: targetMachinesTable },
  'verdicts-simulated': { from: 'sessions', make: simulatedErrorRates },
  'verdicts-real': { from: 'sessions', make: measuredErrorRates },
  power: { from: 'sessions', make: detectionRateTable },
  cheats: { from: 'sessions', make: cheatVerdictTable },
  gate: { from: 'sessions', make: gateRateTable },
  sanitized: { from: 'sessions', make: sanitizedFigure },
  claims: { from: 'program', make: claimsTable },
  'claims-by-card': { from: 'program', make: claimsByGpu },
  'steps-by-card': {
    from: 'sessions',
    make: () =>
      twoGpuTable('transport/h200-factorial-uniform-grid-70MeV', 'transport/h100-factorial-uniform-grid-70MeV'),
  },
  'problem-formats': { from: 'program', make: problemFormats },
  verbs: { from: 'program', make: verbsTable },
  usages: { from: 'program', make: usageTexts },
};
