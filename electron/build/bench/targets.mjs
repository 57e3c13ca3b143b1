/** Compares saved sessions with the speed targets. Functions convert plain data to lines of text. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * @typedef {{ id: string, value: number | null }} Named
 * @typedef {{ id: string, value: number | null, holds: boolean }} Check
 * @typedef {{ label: string, status: string, verdict: string, time_s: number, setup_s: number, size: number | null,
 *   accuracy: Check[], quantities: Named[] }} Entry
 * @typedef {{ scenario: string, machine: { gpu: null | { ceilings: null | { copy_bytes_per_s: number } } },
 *   entries: Entry[] }} Report
 * @typedef {{ reports: Report[] }} Session
 * @typedef {{ what: string, wanted: string, measured: string | null, met: boolean | null,
 *   bound?: string | null, ratio?: string | null, needs?: string | null }} Target
 * `bound`, `ratio`: best possible value, and the measured one relative to it. `needs`: a device that can measure it.
 * @typedef {{ label: string, status: string, verdict: string, time_s: number,
 *   accuracy: Named[], quantities: Named[] }} Image
 * @typedef {{ reports: { entries: Image[] }[] }} ImageSession
 */

/**
 * Sessions in a folder by file name without `.json`.
 * @template [S=Session]
 * @param {string} folder
 * @returns {Map<string, S>}
 */
export function readSessions(folder) {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  return new Map(names.map((name) => [name.slice(0, -5), JSON.parse(readFileSync(path.join(folder, name), 'utf8'))]));
}

/** @param {Session | undefined} session @param {string} label */
function measuredEntry(session, label) {
  return session?.reports[0]?.entries.find((one) => one.label === label && one.status === 'measured');
}

/**
 * Value of the accuracy or quantity with this id; null if there is none.
 * @param {readonly Named[]} all @param {string} id
 */
const valueById = (all, id) => all.find((one) => one.id === id)?.value ?? null;

/** @param {Entry | undefined} one */
const stepsOf = (one) => (one === undefined ? null : valueById(one.quantities, 'steps'));

/** @param {number} seconds */
const milliseconds = (seconds) => `${(seconds * 1e3).toPrecision(3)} ms`;

/**
 * @param {string} what @param {string} wanted @param {number | undefined} value
 * @param {(value: number) => boolean} test @param {(value: number) => string} text
 * @returns {Target}
 */
export function target(what, wanted, value, test, text) {
  if (value === undefined || Number.isNaN(value)) return { what, wanted, measured: null, met: null };
  return { what, wanted, measured: text(value), met: test(value) };
}

/** @param {number} value */
const timesText = (value) => `${value.toPrecision(3)}×`;

/**
 * Time per step of the dense problem, compared with the time to read and write each cell once at copy bandwidth.
 * @param {Session | undefined} session @param {string} label @returns {Target}
 */
export function denseStep(session, label) {
  const [found, share] = [measuredEntry(session, label), shareOfCopy(session, label)];
  const steps = stepsOf(found);
  const step_s = found === undefined || steps === null ? undefined : found.time_s / steps;
  const row = target(`dense-36M, a step of ${label}`, '≤ 0.16 ms', step_s, (v) => v <= 1.6e-4, milliseconds);
  if (step_s === undefined || share === undefined) return row;
  return { ...row, bound: `${milliseconds(step_s * share)}, copy`, ratio: `${(100 * share).toFixed(0)} % of copy` };
}

/**
 * Rate at which each step reads and writes every cell once, relative to the copy bandwidth.
 * @param {Session | undefined} session @param {string} label
 */
function shareOfCopy(session, label) {
  const found = measuredEntry(session, label);
  const ceiling = session?.reports[0]?.machine.gpu?.ceilings?.copy_bytes_per_s;
  const [steps, cells] = [stepsOf(found), found?.size ?? null];
  if (found === undefined || ceiling === undefined || steps === null || cells === null) return undefined;
  return (cells * steps * 8) / found.time_s / ceiling;
}

/** Labels of external programs, which are measured in the same rounds as the variants. */
const PROGRAMS = /^(cupy|numba|numpy|torch)/;

/**
 * Speedup of the fastest correct variant over an external program.
 * @param {Session | undefined} session @param {string} id
 */
function ratioToProgram(session, id) {
  const program = measuredEntry(session, id);
  const all = session?.reports[0]?.entries ?? [];
  const correct = all.filter(
    (one) => one.status === 'measured' && one.verdict !== 'wrong' && !PROGRAMS.test(one.label),
  );
  if (program === undefined || correct.length === 0) return undefined;
  return program.time_s / Math.min(...correct.map(({ time_s }) => time_s));
}

/** @param {Session | undefined} session @param {string} slow @param {string} fast */
function speedupOver(session, slow, fast) {
  const [a, b] = [measuredEntry(session, slow), measuredEntry(session, fast)];
  return a && b ? a.time_s / b.time_s : undefined;
}

/** @param {Map<string, Session>} sessions @returns {Target[]} */
export function gpuTargets(sessions) {
  const [dense, large] = [sessions.get('h200-dense-36M'), sessions.get('h200-dense-144M')];
  const [uniform, water] = [sessions.get('h200-uniform-grid-70MeV'), sessions.get('h200-water-70MeV')];
  const short = sessions.get('h200-water-70MeV-5-steps');
  const all = [...sessions.values()].flatMap(({ reports }) => reports.flatMap(({ entries }) => entries));
  const right = all.filter((one) => one.status === 'measured');
  const wrong = right.filter(({ accuracy }) => accuracy.some(({ id, holds }) => id === 'parity' && !holds));
  const ledgers = right.flatMap(({ accuracy }) => valueById(accuracy, 'ledger') ?? []);
  /** @param {number} value */
  const percent = (value) => `${(100 * value).toFixed(0)} %`;
  return [
    target(
      'dense-36M, cuda-fused: bandwidth, counting 8 B per cell and step',
      '≥ 55 % of copy',
      shareOfCopy(dense, 'cuda-fused'),
      (v) => v >= 0.55,
      percent,
    ),
    denseStep(dense, 'cuda-fused'),
    target(
      'dense-144M, cuda-fused: bandwidth, counting 8 B per cell and step',
      '≥ 55 % of copy',
      shareOfCopy(large, 'cuda-fused'),
      (v) => v >= 0.55,
      percent,
    ),
    target(
      'water-70MeV, cuda-window',
      '≤ 4 ms',
      measuredEntry(water, 'cuda-window')?.time_s,
      (v) => v <= 4e-3,
      milliseconds,
    ),
    target(
      'water-70MeV, cuda-depth',
      '≤ 1.5 ms',
      measuredEntry(water, 'cuda-depth')?.time_s,
      (v) => v <= 1.5e-3,
      milliseconds,
    ),
    target(
      'water-70MeV, first 5 steps: speedup of cuda-window over cuda-scatter',
      '≥ 100×',
      speedupOver(short, 'cuda-scatter', 'cuda-window'),
      (v) => v >= 100,
      timesText,
    ),
    target(
      'water-70MeV, cuda-window, warm set-up',
      '≤ 100 ms',
      measuredEntry(water, 'cuda-window')?.setup_s,
      (v) => v <= 0.1,
      milliseconds,
    ),
    ...['cupy-raw', 'cupy-elementwise', 'cupy-array'].flatMap((id) => [
      target(
        `uniform-grid-70MeV: speedup of the fastest variant over ${id}`,
        '≥ 30×',
        ratioToProgram(uniform, id),
        (v) => v >= 30,
        timesText,
      ),
      target(
        `dense-36M: speedup of the fastest variant over ${id}`,
        '≥ 30×',
        ratioToProgram(dense, id),
        (v) => v >= 30,
        timesText,
      ),
    ]),
    target(
      'variants that fail the parity check',
      '0',
      right.length === 0 ? undefined : wrong.length,
      (v) => v === 0,
      String,
    ),
    target(
      'largest ledger error in FP32',
      '≤ 1e-6',
      ledgers.length === 0 ? undefined : Math.max(...ledgers),
      (v) => v <= 1e-6,
      (v) => v.toExponential(1),
    ),
  ];
}

/** @param {Map<string, Session>} sessions @param {number | null} peakBytes @returns {Target[]} */
export function cpuTargets(sessions, peakBytes) {
  const [water, uniform] = [sessions.get('cpu-water-70MeV'), sessions.get('cpu-uniform-grid-70MeV')];
  /** @param {number} value */
  const seconds = (value) => `${value.toPrecision(3)} s`;
  return [
    target('water-70MeV, steps of window', '≤ 1.5 s', measuredEntry(water, 'window')?.time_s, (v) => v <= 1.5, seconds),
    target('water-70MeV, steps of depth', '≤ 0.15 s', measuredEntry(water, 'depth')?.time_s, (v) => v <= 0.15, seconds),
    target(
      'water-70MeV, peak memory',
      '≤ 1 GB',
      peakBytes ?? undefined,
      (v) => v <= 1e9,
      (v) => `${(v / 1e9).toPrecision(3)} GB`,
    ),
    target(
      'uniform-grid-70MeV: speedup of fused over scatter',
      '≥ 3×',
      speedupOver(uniform, 'scatter', 'fused'),
      (v) => v >= 3,
      timesText,
    ),
    target(
      'uniform-grid-70MeV: speedup of window over scatter',
      '≥ 10×',
      speedupOver(uniform, 'scatter', 'window'),
      (v) => v >= 10,
      timesText,
    ),
  ];
}

/**
 * Overhead of a study: wall time on all lanes divided by the engine's times per lane, minus 1.
 * @param {{ wall_s: number, lanes: number, solves_s: number, points: number } | null} study
 */
export function studyTargets(study) {
  const over = study === null ? undefined : (study.wall_s * study.lanes) / study.solves_s - 1;
  /** @param {number} value */
  const percent = (value) => `${(100 * value).toFixed(1)} %`;
  const points = (study?.points ?? 1000).toLocaleString('en-US');
  return [
    target(
      `study of ${points} beams with the variant depth: overhead relative to the solver time`,
      '≤ 5 %',
      over,
      (v) => v <= 0.05,
      percent,
    ),
  ];
}

/**
 * Entries with a correct image in the first report of a session, measured by warm runs.
 * @param {ImageSession | undefined} session
 * @returns {{ label: string, time_s: number | null, bright: number | null, ns_per_term: number | null }[]}
 */
function correctImages(session) {
  return (session?.reports[0]?.entries ?? []).flatMap((one) => {
    if (one.status !== 'measured' || one.verdict === 'wrong') return [];
    const { label, time_s, accuracy, quantities } = one;
    return [{ label, time_s, bright: valueById(accuracy, 'bright'), ns_per_term: valueById(quantities, 'per_term') }];
  });
}

/**
 * Targets for the time per lattice factor and core, ns. Only variants with a correct image count.
 * @param {Map<string, ImageSession>} sessions
 */
export function imageTargets(sessions) {
  const images = correctImages(sessions.get('image-rotation-100-orientations'));
  return ['diffraction-fp64', 'diffraction-mixed'].map((id) => {
    const found = images.find(({ label }) => label === id)?.ns_per_term;
    const text = (/** @type {number} */ value) => `${value.toPrecision(3)} ns`;
    return target(`time per lattice factor on one core, ${id}`, '≤ 33 ns', found ?? undefined, (v) => v <= 33, text);
  });
}

/**
 * Targets for the device time of an image. Only variants with a correct image count.
 * @param {Map<string, ImageSession>} sessions
 */
export function gpuImageTargets(sessions) {
  const images = correctImages(sessions.get('h200-simple-cubic-1024'));
  const right = images.filter(({ label }) => label.startsWith('diffraction-cuda-'));
  const times = right.flatMap(({ time_s }) => (time_s === null ? [] : [time_s]));
  const fastest = right.find(({ time_s }) => time_s === Math.min(...times));
  /** @param {number} value */
  const microseconds = (value) => `${(value * 1e6).toPrecision(3)} µs`;
  return [
    target(
      `simple-cubic-1024, ${fastest?.label ?? 'fastest correct variant'}`,
      '≤ 0.2 ms',
      fastest?.time_s ?? undefined,
      (v) => v <= 2e-4,
      microseconds,
    ),
    target(
      'simple-cubic-1024: error of the bright pixels',
      '≤ 2e-5',
      fastest?.bright ?? undefined,
      (v) => v <= 2e-5,
      (v) => v.toExponential(1),
    ),
  ];
}

/**
 * Targets for the linear layer: the matrix product of the library with and without its epilogue, and this program's
 * kernel compared with it.
 * @param {Map<string, { reports: { entries: { label: string, status: string, time_s: number, verdict: string,
 *   quantities: { id: string, value: number | null }[] }[] }[] }>} sessions
 */
export function layerTargets(sessions) {
  /** @param {string} session @param {string} label */
  const found = (session, label) =>
    sessions
      .get(session)
      ?.reports[0]?.entries.find((one) => one.label === label && one.status === 'measured' && one.verdict !== 'wrong');
  /** @param {string} session @param {string} label @param {string} id */
  const quantity = (session, label, id) => found(session, label)?.quantities.find((one) => one.id === id)?.value;
  const [blocked, library] = [found('layer-4096', 'cuda-blocked'), quantity('layer-4096', 'cuda-cublas', 'gemm')];
  /** @param {number} share */
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  return [
    target(
      '4096³ in FP32, speed of cuda-blocked relative to cuBLAS',
      '≥ 60 %',
      blocked === undefined || library == null ? undefined : (library * 1e-6) / blocked.time_s,
      (v) => v >= 0.6,
      percent,
    ),
    ...['cuda-lt-fp32', 'cuda-lt-tf32', 'cuda-lt-bf16'].map((label) =>
      target(
        `8192 × 4096 × 4096, ${label} relative to its product alone`,
        '≤ 1.05×',
        quantity('layer-8192', label, 'epilogue') ?? undefined,
        (v) => v <= 1.05,
        timesText,
      ),
    ),
  ];
}

/**
 * Table rows with target, measured value, and met or missed. If a bound is known, also the bound and the ratio to it.
 * @param {readonly Target[]} targets
 */
export function targetLines(targets) {
  const cells = targets.map((t) => [
    t.what,
    t.wanted,
    t.measured ?? (t.needs ? `needs ${t.needs}` : 'not measured'),
    t.met === null ? '' : t.met ? 'met' : 'missed',
    t.bound == null ? '' : `bound ${t.bound}`,
    t.ratio ?? '',
  ]);
  const widths = [0, 1, 2, 3, 4, 5].map((i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, i) => (i === 2 ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
