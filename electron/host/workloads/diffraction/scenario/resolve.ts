/** A complete diffraction scenario as the problem that the engine takes. */
import type { DiffractionScenario } from '../../../../contract/scenario/index.ts';
import type { DiffractionProblem, Three } from '../../../io/addon/diffraction.ts';

const rad = (deg: number): number => (deg * Math.PI) / 180;
const angstrom = 1e-10;

function three({ x, y, z }: { readonly x: number; readonly y: number; readonly z: number }, factor: number): Three {
  return Float64Array.of(x * factor, y * factor, z * factor);
}

function lattice({ lattice: given }: DiffractionScenario['crystal']) {
  if (given.kind === 'matrix') {
    const [a_per_m, b_per_m, c_per_m] = [given.a_star, given.b_star, given.c_star].map((v) =>
      three(v, 1 / angstrom),
    ) as [Three, Three, Three];
    return { reciprocal: { a_per_m, b_per_m, c_per_m } };
  }
  return {
    cell: {
      a_m: given.a_A * angstrom,
      b_m: given.b_A * angstrom,
      c_m: given.c_A * angstrom,
      alpha_rad: rad(given.alpha_deg),
      beta_rad: rad(given.beta_deg),
      gamma_rad: rad(given.gamma_deg),
    },
  };
}

/** Few cells an edge scatter between reflections too, where the nearest one's F makes steps. */
const fewCells = 2;

function lookup({ crystal, structure_factors }: DiffractionScenario): 'nearest' | 'tricubic' {
  if (structure_factors.lookup !== 'auto') return structure_factors.lookup;
  const { a, b, c } = crystal.cells;
  return Math.min(a, b, c) <= fewCells ? 'tricubic' : 'nearest';
}

/** `scenario` has passed its checks; `reflections` holds h, k, l, F of each. */
export function resolveDiffraction(
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
      ...lattice(crystal),
      misset_rad: Float64Array.of(rad(misset.x_deg), rad(misset.y_deg), rad(misset.z_deg)),
      cells: Float64Array.of(cells.a, cells.b, cells.c),
      shape: crystal.shape,
      mosaic_spread_rad: rad(crystal.mosaic_spread_deg),
      mosaic_domains: crystal.mosaic_domains,
      mosaic_seed: crystal.mosaic_seed,
    },
    structure_factors: { default: structure_factors.default_electrons, reflections, lookup: lookup(scenario) },
    detector: {
      width: detector.width,
      height: detector.height,
      pixel_m: detector.pixel_mm / 1000,
      distance_m: detector.distance_mm / 1000,
      beam_x_m: detector.beam_x_mm / 1000,
      beam_y_m: detector.beam_y_mm / 1000,
      rotation_rad: Float64Array.of(rad(detector.rotx_deg), rad(detector.roty_deg), rad(detector.rotz_deg)),
      twotheta_rad: rad(detector.twotheta_deg),
      thickness_m: detector.thickness_um * 1e-6,
      attenuation_depth_m: detector.attenuation_depth_um * 1e-6,
      layers: detector.layers,
      oversample: detector.oversample ?? 0,
      corrections: detector.corrections,
    },
    rotation: {
      phi0_rad: rad(rotation.phi_deg),
      oscillation_rad: rad(rotation.oscillation_deg),
      steps: rotation.steps,
    },
    water_m: background.water_um * 1e-6,
    solver: { ...solver, memory_limit_bytes: memoryLimit_bytes },
  };
}
