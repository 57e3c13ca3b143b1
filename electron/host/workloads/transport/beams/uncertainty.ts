/**
 * Uncertainty bands of depth doses. In layered matter, the moments solver computes derivatives with respect to every
 * input. In other matter, and with reaction products, differences of complete runs replace them. Inputs are independent
 * and their effects linear, so variances add. A material has one density and one mean excitation energy everywhere.
 */
import {
  type UncertainInput,
  type Uncertainty,
  type UncertaintyModel,
  uncertainInputs,
  uncertainNames,
} from '../../../../contract/beams/uncertainty.ts';
import { BraggError } from '../../../../contract/errors.ts';
import type { NativeAddon, TangentDirection, TransportProblem } from '../../../io/addon/addon.ts';
import { isLayered } from '../metrics/across-y.ts';
import { depthReadouts } from '../metrics/depth-readouts.ts';
import { depthDose } from './depth-doses.ts';

type Material = TransportProblem['materials'][number];

/** An input with its standard deviation. */
interface VariedInput {
  readonly input: UncertainInput;
  readonly title: string;
  /** Standard deviation in the unit of the model. */
  readonly sigma: number;
  /** Standard deviation in the unit of the engine's derivatives. */
  readonly step: number;
  /** Quantities of the engine that change together with the input. */
  readonly directions: readonly TangentDirection[];
  /**
   * Returns the problem with the input changed by a multiple of its standard deviation. Null if only derivatives are
   * available.
   */
  readonly at: ((times: number) => TransportProblem) | null;
}

const PROTON_MeV = 938.272;
const ELECTRON_eV = 510_998.95;
/** 4π N_A r_e² m_e c² in MeV cm²/g. */
const BETHE = 0.307075;
/** Energy at which shell and density corrections are small. Bethe's formula is inverted there. */
const INVERTED_AT_MeV = 100;
/** Share of a standard deviation over which readouts are differentiated. Doses are linear within it. */
const SMALL_SHARE = 0.05;
/** Row size in mm for smooth readouts. The time for derivatives does not depend on the number of rows. */
const FINE_mm = 0.2;
const MAX_ROWS = 8000;

const betaSquared = (energy_MeV: number): number => 1 - 1 / (1 + energy_MeV / PROTON_MeV) ** 2;

function stoppingAt({ energies_MeV, stopping_MeV_cm2_g }: Material, energy_MeV: number): number {
  const above = Math.max(
    1,
    energies_MeV.findIndex((energy) => energy >= energy_MeV),
  );
  const [e0, e1] = [energies_MeV[above - 1] ?? 1, energies_MeV[above] ?? 1];
  const [s0, s1] = [stopping_MeV_cm2_g[above - 1] ?? 1, stopping_MeV_cm2_g[above] ?? 1];
  return s0 * (s1 / s0) ** (Math.log(energy_MeV / e0) / Math.log(e1 / e0));
}

/**
 * Mean excitation energy that the Bethe formula gives for the stopping-power table. In this way, users' tables and
 * mixtures have a value too.
 */
function meanExcitation_eV(material: Material): number {
  const beta2 = betaSquared(INVERTED_AT_MeV);
  const stoppingNumber = (stoppingAt(material, INVERTED_AT_MeV) * beta2) / (BETHE * material.z_over_a);
  return (2 * ELECTRON_eV * (beta2 / (1 - beta2))) / Math.exp(stoppingNumber + beta2);
}

/** Returns the material of each layer, from front to back. Consecutive rows of one material form a layer. */
function layersOf({ map, grid }: TransportProblem): readonly number[] {
  const layers: number[] = [];
  let last = -1;
  for (let row = 0; row < grid.nz; row += 1) {
    const material = map[row * grid.nx] ?? 0;
    if (material !== last) layers.push(material);
    last = material;
  }
  return layers;
}

/** Groups the materials of the problem by their name without density. */
function materialsOf(problem: TransportProblem): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const index of new Set(problem.map)) {
    const [name = ''] = (problem.materials[index]?.name ?? '').split(', density');
    found.set(name, [...(found.get(name) ?? []), index]);
  }
  return found;
}

function withMaterials(
  problem: TransportProblem,
  indices: readonly number[],
  change: (material: Material) => Material,
): TransportProblem {
  return {
    ...problem,
    materials: problem.materials.map((material, i) => (indices.includes(i) ? change(material) : material)),
  };
}

type Beam = TransportProblem['beam'];

function withBeams(problem: TransportProblem, change: (beam: Beam) => Beam): TransportProblem {
  const { spots } = problem;
  return { ...problem, beam: change(problem.beam), ...(spots === undefined ? {} : { spots: spots.map(change) }) };
}

const varyDensity =
  (share: number) =>
  (material: Material): Material => ({ ...material, density_g_cm3: material.density_g_cm3 * (1 + share) });
const varyStopping =
  (share: number) =>
  (material: Material): Material => ({
    ...material,
    stopping_MeV_cm2_g: material.stopping_MeV_cm2_g.map((stopping) => stopping * (1 + share)),
  });
const varyExcitation =
  (share: number) =>
  (material: Material): Material => ({
    ...material,
    stopping_MeV_cm2_g: material.stopping_MeV_cm2_g.map(
      (stopping, i) => stopping - (BETHE * material.z_over_a * share) / betaSquared(material.energies_MeV[i] ?? 1),
    ),
  });
const varyScattering =
  (share: number) =>
  (material: Material): Material => ({
    ...material,
    x0_g_cm2: material.x0_g_cm2 / (1 + share),
    xs_g_cm2: material.xs_g_cm2 / (1 + share),
  });

/** Returns the inputs of a problem that have an uncertainty. */
function variedInputs(problem: TransportProblem, model: UncertaintyModel): readonly VariedInput[] {
  const sigmaOf = (input: UncertainInput): number => model[input] ?? uncertainInputs[input].usual;
  const layered = isLayered(problem);
  const layers = layered ? layersOf(problem) : [];
  const water = problem.materials[0];
  const out: VariedInput[] = [];
  const add = (varied: VariedInput): void => {
    if (varied.sigma > 0) out.push(varied);
  };
  const energy_MeV =
    water === undefined ? 0 : 0.1 * sigmaOf('beam_range_mm') * stoppingAt(water, problem.beam.energy_MeV);
  add({
    input: 'beam_range_mm',
    title: uncertainInputs.beam_range_mm.title,
    sigma: sigmaOf('beam_range_mm'),
    step: energy_MeV,
    directions: [{ input: 'energy', layer: 0 }],
    at: (times) => withBeams(problem, (beam) => ({ ...beam, energy_MeV: beam.energy_MeV + times * energy_MeV })),
  });
  const spread = (sigmaOf('energy_sigma_percent') / 100) * problem.beam.energy_sigma_MeV;
  if (spread > 0) {
    add({
      input: 'energy_sigma_percent',
      title: uncertainInputs.energy_sigma_percent.title,
      sigma: sigmaOf('energy_sigma_percent'),
      step: spread,
      directions: [{ input: 'energy_spread', layer: 0 }],
      at: (times) =>
        withBeams(problem, (beam) => ({ ...beam, energy_sigma_MeV: beam.energy_sigma_MeV + times * spread })),
    });
  }
  for (const [name, indices] of materialsOf(problem)) {
    const first = problem.materials[indices[0] ?? 0];
    if (first === undefined) continue;
    const of = (
      input: UncertainInput,
      tangent: TangentDirection['input'],
      step: number,
      change: (share: number) => (material: Material) => Material,
    ): void =>
      add({
        input,
        title: `${uncertainInputs[input].title}, ${name}`,
        sigma: sigmaOf(input),
        step,
        directions: layers.flatMap((material, layer) =>
          indices.includes(material) ? [{ input: tangent, layer }] : [],
        ),
        at: (times) => withMaterials(problem, indices, change(times * step)),
      });
    of(
      'mean_excitation_eV',
      'mean_excitation',
      sigmaOf('mean_excitation_eV') / meanExcitation_eV(first),
      varyExcitation,
    );
    of('density_percent', 'density', sigmaOf('density_percent') / 100, varyDensity);
    of('stopping_percent', 'stopping', sigmaOf('stopping_percent') / 100, varyStopping);
    of('scattering_percent', 'scattering', sigmaOf('scattering_percent') / 100, varyScattering);
  }
  const thickness_mm = sigmaOf('thickness_mm');
  if (thickness_mm > 0 && !layered) {
    throw new BraggError(
      'unsupported',
      `thickness_mm = ${thickness_mm}: matter is not layered; allowed: 0, or a layered geometry.`,
    );
  }
  // Omit the last layer, which ends with the box, so its thickness is not an input.
  for (const [layer, material] of layers.slice(0, -1).entries()) {
    add({
      input: 'thickness_mm',
      title: `Thickness, layer ${layer + 1} of ${problem.materials[material]?.name ?? 'matter'}`,
      sigma: thickness_mm,
      step: thickness_mm,
      directions: [{ input: 'thickness', layer }],
      at: null,
    });
  }
  return out;
}

/**
 * Depth dose in MeV/mm, and its change by one standard deviation of each input. Readouts are differentiated between
 * `above` and `below`.
 */
interface DoseChanges {
  readonly dose: Float64Array;
  readonly by: readonly {
    readonly change: Float64Array;
    readonly above: Float64Array;
    readonly below: Float64Array;
    /** Size of a row in mm. */
    readonly step_mm: number;
    /** Distance between `above` and `below`, in standard deviations. */
    readonly apart: number;
  }[];
}

/** Divides each row of the box into `parts` rows of the same matter. */
function withFinerRows(problem: TransportProblem, parts: number): TransportProblem {
  const { grid, map } = problem;
  const finer = new Uint8Array(parts * map.length);
  for (let row = 0; row < grid.nz * parts; row += 1) {
    const from = Math.floor(row / parts) * grid.nx;
    finer.set(map.subarray(from, from + grid.nx), row * grid.nx);
  }
  return { ...problem, map: finer, grid: { ...grid, nz: grid.nz * parts, dz_mm: grid.dz_mm / parts } };
}

async function uncertaintyByTangents(
  addon: Pick<NativeAddon, 'doseTangents'>,
  problem: TransportProblem,
  varied: readonly VariedInput[],
): Promise<DoseChanges> {
  const directions = varied.flatMap((one) => one.directions);
  const parts = Math.min(Math.ceil(problem.grid.dz_mm / FINE_mm), Math.max(1, Math.floor(MAX_ROWS / problem.grid.nz)));
  const fine = withFinerRows(problem, parts);
  const { depth_dose, dose_by } = await addon.doseTangents(fine, directions);
  const { nz, dz_mm } = fine.grid;
  const dose = Float64Array.from(depth_dose, (energy) => energy / dz_mm);
  const rows = (values: Float64Array): Float64Array =>
    Float64Array.from({ length: nz / parts }, (_, row) => {
      let sum = 0;
      for (let i = row * parts; i < (row + 1) * parts; i += 1) sum += values[i] ?? 0;
      return sum / parts;
    });
  let first = 0;
  const by = varied.map(({ directions: own, step }) => {
    const change = new Float64Array(nz);
    for (const _ of own) {
      for (let z = 0; z < nz; z += 1) change[z] = (change[z] ?? 0) + (step * (dose_by[first * nz + z] ?? 0)) / dz_mm;
      first += 1;
    }
    const shiftedDose = (times: number): Float64Array => dose.map((value, z) => value + times * (change[z] ?? 0));
    return {
      change: rows(change),
      above: shiftedDose(SMALL_SHARE),
      below: shiftedDose(-SMALL_SHARE),
      step_mm: dz_mm,
      apart: 2 * SMALL_SHARE,
    };
  });
  return { dose: rows(dose), by };
}

async function uncertaintyByDifferences(
  addon: Pick<NativeAddon, 'layTransport'>,
  problem: TransportProblem,
  varied: readonly VariedInput[],
  signal: AbortSignal,
): Promise<DoseChanges> {
  const { tracks: _tracks, ...rest } = problem;
  const lean = { ...rest, keyframes: 0 };
  const without = varied.find(({ at }) => at === null);
  if (without !== undefined) {
    throw new BraggError(
      'unsupported',
      `thickness_mm = ${without.sigma}: layers end on grid rows, so a slightly thicker layer cannot be run; allowed: 0, or physics.nuclear off or attenuation.`,
    );
  }
  const dose = await depthDose({ addon }, lean, signal);
  const by: DoseChanges['by'][number][] = [];
  for (const { at } of varied) {
    const solveShifted = async (times: number): Promise<Float64Array> => {
      const { tracks: _left, ...shiftedDose } = at?.(times) ?? problem;
      return depthDose({ addon }, { ...shiftedDose, keyframes: 0 }, signal);
    };
    const [above, below] = [await solveShifted(1), await solveShifted(-1)];
    const change = Float64Array.from(above, (value, z) => (value - (below[z] ?? 0)) / 2);
    by.push({ change, above, below, step_mm: problem.grid.dz_mm, apart: 2 });
  }
  return { dose, by };
}

/** Explains why the engine has no derivatives for a problem. Null if it has them. */
function reasonWithoutTangents(problem: TransportProblem): string | null {
  const { beam, spots = [beam], physics, initial } = problem;
  if (initial.kind === 'filled') return 'phase space was filled with numbers';
  if (physics.nuclear === 'icru63') return 'reaction products are followed';
  if (!isLayered(problem)) return 'matter is not layered';
  return spots.every(({ angle_rad }) => angle_rad === 0) ? null : 'the beam is tilted';
}

export async function uncertaintyOf(
  addon: Pick<NativeAddon, 'doseTangents' | 'layTransport'>,
  problem: TransportProblem,
  model: UncertaintyModel,
  signal: AbortSignal,
): Promise<Uncertainty> {
  const begun = performance.now();
  if (problem.initial.kind === 'filled') {
    throw new BraggError('unsupported', 'initial.kind = filled has no beam; allowed: beam.');
  }
  for (const name of uncertainNames) {
    const [sigma, { most, unit }] = [model[name] ?? 0, uncertainInputs[name]];
    if (sigma > most) throw new BraggError('invalid', `${name} = ${sigma}; allowed: 0 to ${most} ${unit}.`);
  }
  const varied = variedInputs(problem, model);
  const because = reasonWithoutTangents(problem);
  const { dose, by } =
    because === null
      ? await uncertaintyByTangents(addon, problem, varied)
      : await uncertaintyByDifferences(addon, problem, varied, signal);
  const { dz_mm, nz } = problem.grid;
  const start_mm = -problem.beam.z_mm;
  const readouts = (values: Float64Array, step_mm: number) => depthReadouts({ start_mm, step_mm, values }, 0);
  const nominal = readouts(dose, dz_mm);
  const changes = by.map(({ above, below, step_mm, apart }) => {
    const [more, less] = [readouts(above, step_mm), readouts(below, step_mm)];
    const slope = (a: number | null, b: number | null): number | null =>
      a === null || b === null ? null : (a - b) / apart;
    return { r80_mm: slope(more.r80_mm, less.r80_mm), w80_20_mm: slope(more.w80_20_mm, less.w80_20_mm) };
  });
  const spread = (of: (change: (typeof changes)[number]) => number | null): number =>
    Math.sqrt(changes.reduce((sum, change) => sum + (of(change) ?? 0) ** 2, 0));
  const [r80, w80_20] = [spread((one) => one.r80_mm), spread((one) => one.w80_20_mm)];
  return {
    depth_mm: Float64Array.from({ length: nz }, (_, z) => start_mm + (z + 0.5) * dz_mm),
    dose,
    dose_sigma: dose.map((_, z) => Math.sqrt(by.reduce((sum, { change }) => sum + (change[z] ?? 0) ** 2, 0))),
    r80_mm: nominal.r80_mm,
    r80_sigma_mm: nominal.r80_mm === null ? null : r80,
    w80_20_mm: nominal.w80_20_mm,
    w80_20_sigma_mm: nominal.w80_20_mm === null ? null : w80_20,
    parts: varied.map(({ input, title, sigma }, i) => ({
      input,
      title,
      sigma,
      unit: uncertainInputs[input].unit,
      source: model[input] === undefined ? uncertainInputs[input].source : 'as given',
      by: because === null ? ('tangents' as const) : ('differences' as const),
      r80_mm: changes[i]?.r80_mm ?? null,
      w80_20_mm: changes[i]?.w80_20_mm ?? null,
      share: changes[i]?.r80_mm == null || r80 === 0 ? null : ((changes[i]?.r80_mm ?? 0) / r80) ** 2,
    })),
    differences_because: because,
    seconds: (performance.now() - begun) / 1000,
  };
}
