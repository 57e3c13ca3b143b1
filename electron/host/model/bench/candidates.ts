/**
 * Candidates of a session: the variants to compare, each with the problem that it runs.
 *
 * Labels that request a variant in a session: `cuda-fused`, `cuda-fused@fp64`, `cuda-fused:1` on the second GPU.
 *
 * Also computes the FP64 reference answer against which every variant is checked.
 */
import { BraggError, messageOf } from '../../../contract/errors.ts';
import { suggest } from '../../../contract/scenario/index.ts';
import type { NativeAddon, TransportProblem, TransportVariant as Variant } from '../../io/addon/addon.ts';
import { memoizedLast } from '../../io/flow/once.ts';
import { measure } from './measure.ts';

/** Variant with this id. Throws BraggError `invalid` that lists the known variants. */
function knownVariant<V extends { readonly id: string }>(id: string, variants: readonly V[]): V {
  const found = variants.find((variant) => variant.id === id);
  if (found !== undefined) return found;
  const known = variants.map((variant) => variant.id);
  const near = suggest(id, known);
  const hint = near === null ? '' : ` (did you mean ${near}?)`;
  throw new BraggError(
    'invalid',
    `the variant ${JSON.stringify(id)} is not known${hint}; allowed: ${known.join(', ')}`,
  );
}

/** Checks labels. Throws BraggError `invalid` for a duplicate. */
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
  /** Requested precision; null if the scenario's applies. */
  readonly precision: string | null;
  /** Index of the GPU in the driver's order; null for the GPU that runs use by default. */
  readonly gpu: number | null;
}

/** Form of a label: `id`, then `@precision` and `:gpu` if requested. */
const form = /^([^@:]+)(?:@([^:]*))?(?::(.*))?$/;

interface Labelled {
  readonly id: string;
  readonly device: 'cpu' | 'cuda';
}

function throwUnknownVariant(label: string, allowed: string): never {
  throw new BraggError('invalid', `the variant ${label} is not known; allowed: ${allowed}`);
}

/** Parses a label. `precisions` lists the precisions that may be requested; empty for a variant with a single one. */
function parseLabel<V extends Labelled>(
  label: string,
  variants: readonly V[],
  precisions: (variant: V) => readonly string[],
): RequestedVariant<V> {
  const [, id = label, wanted, device] = form.exec(label) ?? [];
  const variant = knownVariant(id, variants);
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

/** Requested variants in their order. Throws a BraggError for an unknown or duplicate name. */
export function requestedVariants<V extends Labelled>(
  labels: readonly string[],
  variants: readonly V[],
  precisions: (variant: V) => readonly string[] = () => [],
): readonly RequestedVariant<V>[] {
  throwIfDuplicates(labels);
  return labels.map((label) => parseLabel(label, variants, precisions));
}

export interface Candidate {
  /** Label as it was requested: `cuda-fused`, `cuda-fused@fp64`, `cuda-fused:1` on the second GPU. */
  readonly label: string;
  readonly variant: Variant;
  readonly problem: TransportProblem;
  /** Requested GPU; null if none was requested. */
  readonly gpu: number | null;
  /** Deviation from the scenario, because the variant offers nothing else; null if there is none. */
  readonly note: string | null;
}

/** The scenario's choice if the variant offers it, else the variant's first choice. */
function chooseOffered<T>(wanted: T, choices: readonly T[]): T {
  return choices.includes(wanted) ? wanted : (choices[0] ?? wanted);
}

/**
 * `problem` in the form that `variant` can run. Keyframes are left out, because benchmarks do not time their copying.
 */
export function candidate(
  problem: TransportProblem,
  variant: Variant,
  label: string = variant.id,
  gpu: number | null = null,
): Candidate {
  const stepping = chooseOffered(problem.solver.stepping, variant.steppings);
  const precision = chooseOffered(problem.solver.precision, variant.precisions);
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

/** Requested candidates in their order. Throws a BraggError for an unknown or duplicate name. */
export function candidates(
  problem: TransportProblem,
  ids: readonly string[],
  variants: readonly Variant[],
): readonly Candidate[] {
  return requestedVariants(ids, variants, ({ precisions }) => precisions).map(({ label, variant, precision, gpu }) => {
    const wanted = variant.precisions.find((one) => one === precision);
    const solver = wanted === undefined ? problem.solver : { ...problem.solver, precision: wanted };
    return candidate({ ...problem, solver }, variant, label, gpu);
  });
}

/**
 * Maximum number of cell-steps for the plain `reference` variant, which needs about 10 s for them on one core. Larger
 * problems use the leanest FP64 variant, which the parity tests check against `reference` on small scenarios.
 */
const maxReferenceCellSteps = 4e8;

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
  // In depth stepping every plane is one step over the cells of one plane.
  return problem.solver.stepping === 'depth' ? ne * ntheta * nx * nz : ne * ntheta * nz * nx * steps;
}

/** Variants to try, best first: `reference`, then the variants that need the least memory. */
function oracleVariants(variants: readonly Variant[], stepping: 'path' | 'depth'): readonly Variant[] {
  const order = ['reference', stepping === 'depth' ? 'depth' : 'window', 'fused', 'gather', 'scatter'];
  return order.flatMap((id) =>
    variants.filter((v) => v.id === id && v.precisions.includes('fp64') && v.steppings.includes(stepping)),
  );
}

/** Name of the preferred variant that can solve a problem in FP64 on this machine; null if none can. */
export function oracleNameOf(addon: NativeAddon, problem: TransportProblem): string | null {
  const inFp64: TransportProblem = { ...problem, solver: { ...problem.solver, precision: 'fp64' } };
  const found = oracleVariants(addon.variants(), problem.solver.stepping).find((variant) => {
    const wanted = candidate(inFp64, variant).problem;
    return variant.id !== 'reference' || cellSteps(addon, wanted) <= maxReferenceCellSteps;
  });
  return found?.id ?? null;
}

interface FoundOracle {
  readonly oracle: Oracle | null;
  readonly reason: string | null;
}

/** Solves `problem` in FP64 on the CPU. Null, with the reason, if no FP64 variant can solve it. */
export function oracleFor(addon: NativeAddon, problem: TransportProblem, signal?: AbortSignal): Promise<FoundOracle> {
  const { variant: _, precision: __, threads: ___, ...solver } = problem.solver;
  const make = (): Promise<FoundOracle> => solveOracle(addon, problem, signal);
  return memoizedLast(addon, { ...problem, solver, keyframes: 0 }, make, ({ oracle }) => oracle !== null);
}

async function solveOracle(addon: NativeAddon, problem: TransportProblem, signal?: AbortSignal): Promise<FoundOracle> {
  const { stepping } = problem.solver;
  let reason = `no variant offers fp64 with ${stepping} stepping`;
  for (const variant of oracleVariants(addon.variants(), stepping)) {
    const inFp64: TransportProblem = { ...problem, solver: { ...problem.solver, precision: 'fp64' } };
    const wanted = candidate(inFp64, variant).problem;
    try {
      if (variant.id === 'reference' && cellSteps(addon, wanted) > maxReferenceCellSteps) continue;
      const { result } = await measure(addon, wanted, signal);
      if (result.status !== 'done') return { oracle: null, reason: 'cancelled' };
      return { oracle: { variant: variant.id, precision: 'fp64', stepping, dose: result.dose }, reason: null };
    } catch (error) {
      reason = messageOf(error);
    }
  }
  return { oracle: null, reason };
}
