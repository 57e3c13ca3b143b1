/** Checks of a diffraction scenario beyond the schema: whether its parts fit each other. */
import {
  type DiffractionScenario,
  type Fault,
  fault,
  unknownVariant,
  warning,
} from '../../../../contract/scenario/index.ts';
import { formatBytes } from '../../../../contract/units.ts';

/** An image is FP64 while it is made and FP32 afterwards. */
const bytesPerPixel = 12;
/** Directions and wavelengths, and orientations, are laid out before the run begins: this many take milliseconds. */
const MOST_LAID_OUT = 100_000;

function checkAngles({ crystal: { lattice } }: DiffractionScenario): readonly Fault[] {
  if (lattice.kind !== 'cell') return [];
  const { alpha_deg, beta_deg, gamma_deg } = lattice;
  const [ca, cb, cg] = [alpha_deg, beta_deg, gamma_deg].map((deg) => Math.cos((deg * Math.PI) / 180)) as [
    number,
    number,
    number,
  ];
  if (1 - ca * ca - cb * cb - cg * cg + 2 * ca * cb * cg > 1e-9) return [];
  const says = `° closes no cell with beta ${beta_deg}° and gamma ${gamma_deg}°`;
  const allowed = 'each angle below the sum of the other two, all three together below 360°';
  return [fault(['crystal', 'lattice', 'alpha_deg'], alpha_deg, says, allowed)];
}

function checkMatrix({ crystal: { lattice } }: DiffractionScenario): readonly Fault[] {
  if (lattice.kind !== 'matrix') return [];
  const [a, b, c] = [lattice.a_star, lattice.b_star, lattice.c_star];
  const volume = a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) + a.z * (b.x * c.y - b.y * c.x);
  const size = Math.hypot(a.x, a.y, a.z) * Math.hypot(b.x, b.y, b.z) * Math.hypot(c.x, c.y, c.z);
  if (Math.abs(volume) > 1e-9 * size) return [];
  return [fault(['crystal', 'lattice', 'c_star'], c, 'lies in one plane with a_star and b_star', 'three directions')];
}

function checkMemory({ detector }: DiffractionScenario, limit_bytes: number): readonly Fault[] {
  const { width, height } = detector;
  const needed = bytesPerPixel * width * height;
  if (needed <= limit_bytes) return [];
  const says = `by ${height} pixels take ${formatBytes(needed)}`;
  return [fault(['detector', 'width'], width, says, `images of at most ${formatBytes(limit_bytes)}`)];
}

/** Limits the products of step counts before anything is built from them. */
function checkProducts({ beam, crystal, rotation }: DiffractionScenario): readonly Fault[] {
  const most = (path: readonly string[], factors: readonly number[], what: string): readonly Fault[] => {
    const [first = 1] = factors;
    const product = factors.reduce((all, factor) => all * factor, 1);
    if (product <= MOST_LAID_OUT) return [];
    return [fault(path, first, `makes ${factors.join(' x ')} = ${product} ${what}`, `at most ${MOST_LAID_OUT}`)];
  };
  const sources = [beam.divergence_h_steps, beam.divergence_v_steps, beam.dispersion_steps];
  return [
    ...most(['beam', 'divergence_h_steps'], sources, 'directions and wavelengths'),
    ...most(['crystal', 'mosaic_domains'], [crystal.mosaic_domains, rotation.steps], 'orientations'),
  ];
}

/** Ranges that a single step leaves without effect, and images that hold nothing. */
function warnings(scenario: DiffractionScenario): readonly Fault[] {
  const { beam, crystal, detector, structure_factors: factors, background } = scenario;
  const idle = (path: readonly string[], range: number, steps: number, key: string): readonly Fault[] =>
    range > 0 && steps === 1 ? [warning(path, range, `has no effect: ${key} is 1`)] : [];
  const mosaic = crystal.mosaic_spread_deg;
  const blank = factors.default_electrons === 0 && factors.file === undefined && background.water_um === 0;
  const sensor = [detector.thickness_um, detector.attenuation_depth_um].filter((value) => value > 0).length;
  return [
    ...idle(['beam', 'dispersion_percent'], beam.dispersion_percent, beam.dispersion_steps, 'beam.dispersion_steps'),
    ...idle(['beam', 'divergence_h_mrad'], beam.divergence_h_mrad, beam.divergence_h_steps, 'beam.divergence_h_steps'),
    ...idle(['beam', 'divergence_v_mrad'], beam.divergence_v_mrad, beam.divergence_v_steps, 'beam.divergence_v_steps'),
    ...idle(['crystal', 'mosaic_spread_deg'], mosaic, crystal.mosaic_domains, 'crystal.mosaic_domains'),
    ...(sensor === 1
      ? [
          warning(
            ['detector', 'thickness_um'],
            detector.thickness_um,
            'has an effect only together with detector.attenuation_depth_um',
          ),
        ]
      : []),
    ...(blank
      ? [
          warning(
            ['structure_factors', 'default_electrons'],
            0,
            'leaves the image empty: there is no list of reflections either',
          ),
        ]
      : []),
  ];
}

interface CheckedAgainst {
  readonly variants: readonly string[];
  readonly memoryLimit_bytes: number;
}

/** Errors and warnings of a complete scenario. */
export function checkDiffraction(scenario: DiffractionScenario, against: CheckedAgainst): readonly Fault[] {
  return [
    ...checkAngles(scenario),
    ...checkMatrix(scenario),
    ...checkMemory(scenario, against.memoryLimit_bytes),
    ...checkProducts(scenario),
    ...unknownVariant(scenario.solver.variant, against.variants),
    ...warnings(scenario),
  ];
}
