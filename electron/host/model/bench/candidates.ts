/**
 * Candidates of a session: the compared variants, each with its problem. A label requests a variant: `cuda-fused`,
 * `cuda-fused@fp64` in a precision, `cuda-fused:1` on the second GPU. Also computes the FP64 reference answer, with
 * which the answer of every variant is compared.
 */
import { BraggError, messageOf } from '../../../contract/errors.ts';
import { suggestSimilarWord } from '../../../contract/scenario/index.ts';
import type { NativeAddon, TransportProblem, TransportVariant as Variant } from '../../io/addon/addon.ts';
import { cachedLastAnswer } from '../../io/flow/once.ts';
import { measureRun } from './measure.ts';

/** Finds the variant with this id. Throws BraggError `invalid` that lists all variants. */
function findVariant<V extends { readonly id: string }>(id: string, variants: readonly V[]): V {
  const found = variants.find((variant) => variant.id === id);
  if (found !== undefined) return found;
  const known = variants.map((variant) => variant.id);
  const near = suggestSimilarWord(id, known);
  const hint = near === null ? '' : ` (did you mean ${near}?)`;
  throw new BraggError(
    'invalid',
    `the variant ${JSON.stringify(id)} is not known${hint}; allowed: ${known.join(', ')}`,
  );
}

/** Throws BraggError `invalid` if a label occurs twice. */
function throwIfDuplicates(labels: readonly string[]): void {
  const twice = labels.find((label, index) => labels.indexOf(label) !== index);
  if (twice !== undefined) {
    throw new BraggError('invalid', `the variant ${twice} is given twice; allowed: once`);
  }
}

/** A requested variant. */
export interface RequestedVariant<V> {
  readonly label: string;
  readonly variant: V;
  /** Requested precision; null for the scenario's precision. */
  readonly precision: string | null;
  /** Index of the requested GPU, as the driver counts; null for the default GPU. */
  readonly gpu: number | null;
}

/** Format of a label: `id`, optionally followed by `@precision` and `:gpu`. */
const LABEL_FORM = /^([^@:]+)(?:@([^:]*))?(?::(.*))?$/;

interface LabelledVariant {
  readonly id: string;
  readonly device: 'cpu' | 'cuda';
}

function throwUnknownVariant(label: string, allowed: string): never {
  throw new BraggError('invalid', `the variant ${label} is not known; allowed: ${allowed}`);
}

/**
 * Parses a label. `precisions` returns the precisions that may be requested: none if the variant supports only one.
 */
function parseLabel<V extends LabelledVariant>(
  label: string,
  variants: readonly V[],
  precisions: (variant: V) => readonly string[],
): RequestedVariant<V> {
  const [, id = label, wanted, device] = LABEL_FORM.exec(label) ?? [];
  const variant = findVariant(id, variants);
  const choices = precisions(variant);
  if (wanted !== undefined && !choices.includes(wanted)) {
    const known = choices.map((one) => `${id}@${one}`).join(', ');
    throwUnknownVariant(label, known === '' ? `${id}, which has only one precision` : known);
  }
  if (device === undefined) return { label, variant, precision: wanted ?? null, gpu: null };
  if (!/^\d{1,3}$/.test(device)) throwUnknownVariant(label, `${id}:0 and further GPUs in the driver's order`);
  if (variant.device === 'cpu') throwUnknownVariant(label, `${id}, which runs on the CPU`);
  return { label, variant, precision: wanted ?? null, gpu: Number(device) };
}

/** Parses labels; the result has their order. Throws a BraggError for an unknown or duplicate label. */
export function parseVariantLabels<V extends LabelledVariant>(
  labels: readonly string[],
  variants: readonly V[],
  precisions: (variant: V) => readonly string[] = () => [],
): readonly RequestedVariant<V>[] {
  throwIfDuplicates(labels);
  return labels.map((label) => parseLabel(label, variants, precisions));
}

export interface Candidate {
  /** Label from the request: `cuda-fused`, `cuda-fused@fp64`, or `cuda-fused:1` for the second GPU. */
  readonly label: string;
  readonly variant: Variant;
  readonly problem: TransportProblem;
  /** Requested GPU; null if none was requested. */
  readonly gpu: number | null;
  /** Settings that differ from the scenario because the variant does not support them; null if there are none. */
  readonly note: string | null;
}

/** The wanted value if it is supported, otherwise the first supported one. */
function chooseSupported<T>(wanted: T, choices: readonly T[]): T {
  return choices.includes(wanted) ? wanted : (choices[0] ?? wanted);
}

/**
 * Makes a candidate, with the problem adapted to its variant. Keyframes are switched off, because benchmarks do not
 * time their copying.
 */
export function makeCandidate(
  problem: TransportProblem,
  variant: Variant,
  label: string = variant.id,
  gpu: number | null = null,
): Candidate {
  const stepping = chooseSupported(problem.solver.stepping, variant.steppings);
  const precision = chooseSupported(problem.solver.precision, variant.precisions);
  const changed = [
    ...(stepping === problem.solver.stepping ? [] : [`${stepping} stepping`]),
    ...(precision === problem.solver.precision ? [] : [precision]),
  ];
  return {
    label,
    variant,
    gpu,
    problem: {
      ...problem,
      keyframes: 0,
      solver: {
        ...problem.solver,
        variant: variant.id,
        stepping,
        precision,
        ...(gpu === null ? {} : { device: String(gpu) }),
      },
    },
    note: changed.length === 0 ? null : changed.join(', '),
  };
}

/** Makes the candidates for labels, in their order. Throws a BraggError for an unknown or duplicate label. */
export function makeCandidates(
  problem: TransportProblem,
  ids: readonly string[],
  variants: readonly Variant[],
): readonly Candidate[] {
  return parseVariantLabels(ids, variants, ({ precisions }) => precisions).map(({ label, variant, precision, gpu }) => {
    const wanted = variant.precisions.find((one) => one === precision);
    const solver = wanted === undefined ? problem.solver : { ...problem.solver, precision: wanted };
    return makeCandidate({ ...problem, solver }, variant, label, gpu);
  });
}

/**
 * Maximum number of cell-steps for which the plain `reference` variant computes the reference answer, in about 10 s on
 * one core. For larger problems it is the FP64 variant that needs least memory. Parity tests compare that variant with
 * `reference` on small scenarios.
 */
const MAX_REFERENCE_CELL_STEPS = 4e8;

interface Oracle {
  readonly variant: string;
  readonly precision: 'fp64';
  readonly stepping: 'path' | 'depth';
  readonly dose: Float64Array;
}

function cellSteps(addon: NativeAddon, problem: TransportProblem): number {
  const { ne, ntheta, nz, nx, steps_max } = addon.createTransport(problem).plan;
  const { depth_mm, step_mm } = { depth_mm: nz * problem.grid.dz_mm, step_mm: problem.solver.step_mm };
  const steps = Math.min(steps_max, Math.ceil(depth_mm / step_mm));
  // With depth stepping, each plane of depth is one step, over the cells of this plane only.
  return problem.solver.stepping === 'depth' ? ne * ntheta * nx * nz : ne * ntheta * nz * nx * steps;
}

/**
 * Variants that can compute a reference answer, in order of preference: `reference`, then those that need less memory
 * first.
 */
function oracleVariants(variants: readonly Variant[], stepping: 'path' | 'depth'): readonly Variant[] {
  const order = ['reference', stepping === 'depth' ? 'depth' : 'window', 'fused', 'gather', 'scatter'];
  return order.flatMap((id) =>
    variants.filter((v) => v.id === id && v.precisions.includes('fp64') && v.steppings.includes(stepping)),
  );
}

/** Id of the variant that computes the reference answer of a problem on this machine; null if none can. */
export function oracleVariantId(addon: NativeAddon, problem: TransportProblem): string | null {
  const inFp64: TransportProblem = { ...problem, solver: { ...problem.solver, precision: 'fp64' } };
  const found = oracleVariants(addon.variants(), problem.solver.stepping).find((variant) => {
    const wanted = makeCandidate(inFp64, variant).problem;
    return variant.id !== 'reference' || cellSteps(addon, wanted) <= MAX_REFERENCE_CELL_STEPS;
  });
  return found?.id ?? null;
}

interface OracleResult {
  readonly oracle: Oracle | null;
  readonly reason: string | null;
}

/**
 * Solves `problem` in FP64 on the CPU for a reference answer. Without a suitable variant the answer is null, and
 * `reason` is set.
 */
export function findOracle(addon: NativeAddon, problem: TransportProblem, signal?: AbortSignal): Promise<OracleResult> {
  const { variant: _, precision: __, threads: ___, ...solver } = problem.solver;
  const make = (): Promise<OracleResult> => solveOracle(addon, problem, signal);
  return cachedLastAnswer(addon, { ...problem, solver, keyframes: 0 }, make, ({ oracle }) => oracle !== null);
}

async function solveOracle(addon: NativeAddon, problem: TransportProblem, signal?: AbortSignal): Promise<OracleResult> {
  const { stepping } = problem.solver;
  let reason = `no variant offers fp64 with ${stepping} stepping`;
  for (const variant of oracleVariants(addon.variants(), stepping)) {
    const inFp64: TransportProblem = { ...problem, solver: { ...problem.solver, precision: 'fp64' } };
    const wanted = makeCandidate(inFp64, variant).problem;
    try {
      if (variant.id === 'reference' && cellSteps(addon, wanted) > MAX_REFERENCE_CELL_STEPS) continue;
      const { result } = await measureRun(addon, wanted, signal);
      if (result.status !== 'done') return { oracle: null, reason: 'cancelled' };
      return { oracle: { variant: variant.id, precision: 'fp64', stepping, dose: result.dose }, reason: null };
    } catch (error) {
      reason = messageOf(error);
    }
  }
  return { oracle: null, reason };
}
