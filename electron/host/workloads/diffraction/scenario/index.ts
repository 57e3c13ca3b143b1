/**
 * Diffraction scenarios: reads them, fills in defaults, checks what the schema cannot, reads the list of reflections,
 * and builds the problem for the engine.
 */
import type { Issue } from '../../../../contract/errors.ts';
import {
  type DiffractionDocument,
  type DiffractionScenario,
  type DiffractionWithStaticDefaults,
  type FieldIssue,
  fieldIssue,
  fieldWarning,
  isWithin,
  type Path,
  unknownVariantIssues,
} from '../../../../contract/scenario/index.ts';
import { formatBytes } from '../../../../domain/values/units.ts';
import type { DiffractionProblem, Vector3 } from '../../../io/addon/task.ts';
import type { ScenarioText } from '../../scenarios/read.ts';
import { reflectionsOf } from './hkl.ts';

const toRadians = (deg: number): number => (deg * Math.PI) / 180;
const angstrom = 1e-10;

function scaledVector(
  { x, y, z }: { readonly x: number; readonly y: number; readonly z: number },
  factor: number,
): Vector3 {
  return Float64Array.of(x * factor, y * factor, z * factor);
}

function latticeVectors({ lattice: given }: DiffractionScenario['crystal']) {
  if (given.kind === 'matrix') {
    const [a_per_m, b_per_m, c_per_m] = [given.a_star, given.b_star, given.c_star].map((v) =>
      scaledVector(v, 1 / angstrom),
    ) as [Vector3, Vector3, Vector3];
    return { reciprocal: { a_per_m, b_per_m, c_per_m } };
  }
  return {
    cell: {
      a_m: given.a_A * angstrom,
      b_m: given.b_A * angstrom,
      c_m: given.c_A * angstrom,
      alpha_rad: toRadians(given.alpha_deg),
      beta_rad: toRadians(given.beta_deg),
      gamma_rad: toRadians(given.gamma_deg),
    },
  };
}

/**
 * Largest number of cells along an edge at which structure factors are interpolated. Such crystals also scatter between
 * reflections, where the nearest F would cause steps.
 */
const maxInterpolatedCells = 2;

function lookupKindOf({ crystal, structure_factors }: DiffractionScenario): 'nearest' | 'tricubic' {
  if (structure_factors.lookup !== 'auto') return structure_factors.lookup;
  const { a, b, c } = crystal.cells;
  return Math.min(a, b, c) <= maxInterpolatedCells ? 'tricubic' : 'nearest';
}

/** Builds the problem for the engine from a scenario without errors. `reflections`: h, k, l and F of each. */
function resolveDiffraction(
  scenario: DiffractionScenario,
  reflections: Float64Array,
  memoryLimit_bytes: number,
): DiffractionProblem {
  const { beam, crystal, detector, rotation, background, solver, structure_factors } = scenario;
  const { misset, cells } = crystal;
  return {
    beam: {
      wavelength_m: beam.wavelength_A * angstrom,
      dispersion: beam.dispersion_percent / 100,
      dispersion_steps: beam.dispersion_steps,
      divergence_h_rad: beam.divergence_h_mrad / 1000,
      divergence_h_steps: beam.divergence_h_steps,
      divergence_v_rad: beam.divergence_v_mrad / 1000,
      divergence_v_steps: beam.divergence_v_steps,
      fluence_m2: beam.fluence,
      polarisation: beam.polarisation,
    },
    crystal: {
      ...latticeVectors(crystal),
      misset_rad: Float64Array.of(toRadians(misset.x_deg), toRadians(misset.y_deg), toRadians(misset.z_deg)),
      cells: Float64Array.of(cells.a, cells.b, cells.c),
      shape: crystal.shape,
      mosaic_spread_rad: toRadians(crystal.mosaic_spread_deg),
      mosaic_domains: crystal.mosaic_domains,
      mosaic_seed: crystal.mosaic_seed,
    },
    structure_factors: { default: structure_factors.default_electrons, reflections, lookup: lookupKindOf(scenario) },
    detector: {
      width: detector.width,
      height: detector.height,
      pixel_m: detector.pixel_mm / 1000,
      distance_m: detector.distance_mm / 1000,
      beam_x_m: detector.beam_x_mm / 1000,
      beam_y_m: detector.beam_y_mm / 1000,
      rotation_rad: Float64Array.of(
        toRadians(detector.rotx_deg),
        toRadians(detector.roty_deg),
        toRadians(detector.rotz_deg),
      ),
      twotheta_rad: toRadians(detector.twotheta_deg),
      thickness_m: detector.thickness_um * 1e-6,
      attenuation_depth_m: detector.attenuation_depth_um * 1e-6,
      layers: detector.layers,
      oversample: detector.oversample ?? 0,
      corrections: detector.corrections,
    },
    rotation: {
      phi0_rad: toRadians(rotation.phi_deg),
      oscillation_rad: toRadians(rotation.oscillation_deg),
      steps: rotation.steps,
    },
    water_m: background.water_um * 1e-6,
    solver: { ...solver, memory_limit_bytes: memoryLimit_bytes },
  };
}

/** Bytes per pixel: an FP64 value during the computation, and an FP32 value afterwards. */
const bytesPerPixel = 12;
/**
 * Maximum number of directions, of wavelengths, and of orientations. Tabulating them before the run then needs only
 * some milliseconds.
 */
const MAX_TABULATED = 100_000;

function checkAngles({ crystal: { lattice } }: DiffractionScenario): readonly FieldIssue[] {
  if (lattice.kind !== 'cell') return [];
  const { alpha_deg, beta_deg, gamma_deg } = lattice;
  const [ca, cb, cg] = [alpha_deg, beta_deg, gamma_deg].map((deg) => Math.cos((deg * Math.PI) / 180)) as [
    number,
    number,
    number,
  ];
  if (1 - ca * ca - cb * cb - cg * cg + 2 * ca * cb * cg > 1e-9) return [];
  const says = `° gives no closed cell with beta ${beta_deg}° and gamma ${gamma_deg}°`;
  const allowed = 'each angle below the sum of the other two, all three together below 360°';
  return [fieldIssue(['crystal', 'lattice', 'alpha_deg'], alpha_deg, says, allowed)];
}

function checkMatrix({ crystal: { lattice } }: DiffractionScenario): readonly FieldIssue[] {
  if (lattice.kind !== 'matrix') return [];
  const [a, b, c] = [lattice.a_star, lattice.b_star, lattice.c_star];
  const volume = a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) + a.z * (b.x * c.y - b.y * c.x);
  const size = Math.hypot(a.x, a.y, a.z) * Math.hypot(b.x, b.y, b.z) * Math.hypot(c.x, c.y, c.z);
  if (Math.abs(volume) > 1e-9 * size) return [];
  return [
    fieldIssue(['crystal', 'lattice', 'c_star'], c, 'is in one plane with a_star and b_star', 'three directions'),
  ];
}

function checkMemory({ detector }: DiffractionScenario, limit_bytes: number): readonly FieldIssue[] {
  const { width, height } = detector;
  const needed = bytesPerPixel * width * height;
  if (needed <= limit_bytes) return [];
  const says = `by ${height} pixels need ${formatBytes(needed)}`;
  return [fieldIssue(['detector', 'width'], width, says, `images of at most ${formatBytes(limit_bytes)}`)];
}

/** Limits products of step counts, before arrays of that size are built. */
function checkProducts({ beam, crystal, rotation }: DiffractionScenario): readonly FieldIssue[] {
  const limitProduct = (path: readonly string[], factors: readonly number[], what: string): readonly FieldIssue[] => {
    const [first = 1] = factors;
    const product = factors.reduce((all, factor) => all * factor, 1);
    if (product <= MAX_TABULATED) return [];
    return [fieldIssue(path, first, `makes ${factors.join(' x ')} = ${product} ${what}`, `at most ${MAX_TABULATED}`)];
  };
  const sources = [beam.divergence_h_steps, beam.divergence_v_steps, beam.dispersion_steps];
  return [
    ...limitProduct(['beam', 'divergence_h_steps'], sources, 'directions and wavelengths'),
    ...limitProduct(['crystal', 'mosaic_domains'], [crystal.mosaic_domains, rotation.steps], 'orientations'),
  ];
}

/** Warns about ranges that have no effect because they have a single step, and about empty images. */
function scenarioWarnings(scenario: DiffractionScenario): readonly FieldIssue[] {
  const { beam, crystal, detector, structure_factors: factors, background } = scenario;
  const warnIfSingleStep = (
    path: readonly string[],
    range: number,
    steps: number,
    key: string,
  ): readonly FieldIssue[] =>
    range > 0 && steps === 1 ? [fieldWarning(path, range, `has no effect: ${key} is 1`)] : [];
  const mosaic = crystal.mosaic_spread_deg;
  const blank = factors.default_electrons === 0 && factors.file === undefined && background.water_um === 0;
  const sensor = [detector.thickness_um, detector.attenuation_depth_um].filter((value) => value > 0).length;
  return [
    ...warnIfSingleStep(
      ['beam', 'dispersion_percent'],
      beam.dispersion_percent,
      beam.dispersion_steps,
      'beam.dispersion_steps',
    ),
    ...warnIfSingleStep(
      ['beam', 'divergence_h_mrad'],
      beam.divergence_h_mrad,
      beam.divergence_h_steps,
      'beam.divergence_h_steps',
    ),
    ...warnIfSingleStep(
      ['beam', 'divergence_v_mrad'],
      beam.divergence_v_mrad,
      beam.divergence_v_steps,
      'beam.divergence_v_steps',
    ),
    ...warnIfSingleStep(['crystal', 'mosaic_spread_deg'], mosaic, crystal.mosaic_domains, 'crystal.mosaic_domains'),
    ...(sensor === 1
      ? [
          fieldWarning(
            ['detector', 'thickness_um'],
            detector.thickness_um,
            'has an effect only together with detector.attenuation_depth_um',
          ),
        ]
      : []),
    ...(blank
      ? [
          fieldWarning(
            ['structure_factors', 'default_electrons'],
            0,
            'leaves the image empty, because there is no list of reflections',
          ),
        ]
      : []),
  ];
}

interface CheckLimits {
  readonly variants: readonly string[];
  readonly memoryLimit_bytes: number;
}

/** Returns errors and warnings about a complete scenario. */
function checkDiffraction(scenario: DiffractionScenario, against: CheckLimits): readonly FieldIssue[] {
  return [
    ...checkAngles(scenario),
    ...checkMatrix(scenario),
    ...checkMemory(scenario, against.memoryLimit_bytes),
    ...checkProducts(scenario),
    ...unknownVariantIssues(scenario.solver.variant, against.variants),
    ...scenarioWarnings(scenario),
  ];
}

interface DiffractionServices {
  /** Ids of the workload's variants. */
  readonly variants: readonly string[];
  readonly memoryLimit_bytes: number;
}

interface DiffractionParts {
  readonly scenario: DiffractionScenario;
  /** Number of reflections in the list. 0 without a list. */
  readonly reflections: number;
  readonly faults: readonly FieldIssue[];
  /** Errors in files that the scenario names. */
  readonly issues: readonly Issue[];
  /** Builds the problem. Call it only for a scenario without errors. */
  readonly problem: () => DiffractionProblem;
}

/**
 * Fills in the beam centre: by default the middle of the detector, offset by half a pixel by the detector's convention.
 */
function fillBeamCentre(filled: DiffractionWithStaticDefaults): DiffractionScenario {
  const { detector } = filled;
  const { width, height, pixel_mm } = detector;
  const middle = (pixels: number): number => Number((((pixels + 1) * pixel_mm) / 2).toPrecision(12));
  const beam_x_mm = detector.beam_x_mm ?? middle(height);
  const beam_y_mm = detector.beam_y_mm ?? middle(width);
  return { ...filled, detector: { ...detector, beam_x_mm, beam_y_mm } };
}

/** Fills in defaults of a document that satisfies the schema, and checks it. */
export async function readDiffraction(
  filled: DiffractionWithStaticDefaults,
  leftOut: readonly Path[],
  place: { readonly name: string; readonly folder: string | null },
  services: DiffractionServices,
): Promise<DiffractionParts> {
  const scenario = fillBeamCentre(filled);
  const found = await reflectionsOf(filled, place);
  const list = found.value ?? new Float64Array(0);
  const reflections = list.length / 4;
  const { variants, memoryLimit_bytes } = services;
  // Invalid values have been replaced by defaults. Issues about these would refer to values that the user did not
  // write.
  const checks = checkDiffraction(scenario, { variants, memoryLimit_bytes }).filter(
    ({ path, severity }) =>
      leftOut.length === 0 || (severity === 'error' && !leftOut.some((gone) => isWithin(path, gone))),
  );
  return {
    scenario,
    reflections,
    faults: [...found.faults, ...checks],
    issues: found.issues,
    problem: () => resolveDiffraction(scenario, list, memoryLimit_bytes),
  };
}

export interface DiffractionReading extends ScenarioText {
  readonly kind: 'diffraction';
  readonly document: DiffractionDocument | null;
  readonly scenario: DiffractionScenario;
  /** Number of reflections in the list that the scenario names. 0 without a list. */
  readonly reflections: number;
  readonly problem: (() => DiffractionProblem) | null;
}
