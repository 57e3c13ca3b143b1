/** A complete scenario as the problem that the engines take. */
import type { MaterialName, TransportScenario } from '../../../../contract/scenario/index.ts';
import type { TransportProblem } from '../../../io/addon/addon.ts';
import { takenRangeStep_mm } from './bins-per-step.ts';
import { type TransportContext, tableOf } from './context.ts';
import { angleBins } from './estimate.ts';

type ProblemMaterial = TransportProblem['materials'][number];

function problemMaterial(context: TransportContext, name: MaterialName, density_scale: number): ProblemMaterial {
  const material = context.materials[name];
  const table = tableOf(context, name);
  return {
    name: density_scale === 1 ? name : `${name}, density × ${density_scale}`,
    density_g_cm3: material.density_g_cm3 * density_scale,
    z_over_a: material.z_over_a,
    x0_g_cm2: material.radiation_length_g_cm2,
    xs_g_cm2: material.scattering_length_g_cm2,
    energies_MeV: table.energies_MeV,
    stopping_MeV_cm2_g: table.stopping_MeV_cm2_g,
  };
}

/** Entries are made as they are asked for; water of density 1 is the first, whether it is used or not. */
class MaterialList {
  readonly entries: ProblemMaterial[] = [];
  private readonly indices = new Map<string, number>();
  private readonly context: TransportContext;

  constructor(context: TransportContext) {
    this.context = context;
    this.indexOf('water', 1);
  }

  indexOf(name: MaterialName, density_scale: number): number {
    const key = `${name} ${density_scale}`;
    const known = this.indices.get(key);
    if (known !== undefined) return known;
    const index = this.entries.length;
    this.entries.push(problemMaterial(this.context, name, density_scale));
    this.indices.set(key, index);
    return index;
  }
}

/** A cell belongs to [from, to) when its centre does. Decimal borders may miss by this fraction of a cell. */
const slack = 1e-6;

function firstCell(edge_mm: number, origin_mm: number, cell_mm: number, count: number): number {
  return Math.min(count, Math.max(0, Math.ceil((edge_mm - origin_mm) / cell_mm - 0.5 - slack)));
}

/** Material index of every cell, nz × nx, row z. */
function materialMap(scenario: TransportScenario, nz: number, nx: number, list: MaterialList): Uint8Array {
  const { geometry, grid } = scenario;
  const map = new Uint8Array(nz * nx).fill(list.indexOf(geometry.background, 1));
  for (const region of geometry.regions) {
    const index = list.indexOf(region.material, region.density_scale);
    const [x0, x1] = region.x_mm.map((edge) => firstCell(edge, -geometry.width_mm / 2, grid.dx_mm, nx)) as [
      number,
      number,
    ];
    const [z0, z1] = region.z_mm.map((edge) => firstCell(edge, 0, grid.dz_mm, nz)) as [number, number];
    for (let z = z0; z < z1; z += 1) map.fill(index, z * nx + x0, z * nx + x1);
  }
  return map;
}

/** `scenario` has passed its checks. */
export function resolveTransport(scenario: TransportScenario, context: TransportContext): TransportProblem {
  const { beam, geometry, grid, solver, physics } = scenario;
  const nx = Math.round(geometry.width_mm / grid.dx_mm);
  const nz = Math.round(geometry.depth_mm / grid.dz_mm);
  const list = new MaterialList(context);
  const map = materialMap(scenario, nz, nx, list);
  const angle_rad = (beam.angle_deg * Math.PI) / 180;
  return {
    beam: {
      energy_MeV: beam.energy_MeV,
      energy_sigma_MeV: beam.energy_sigma_MeV,
      angle_rad,
      angle_sigma_rad: beam.angle_sigma_mrad / 1000,
      x_mm: beam.x_mm,
      x_sigma_mm: beam.x_sigma_mm,
      z_mm: beam.z_mm,
      weight: beam.weight,
    },
    grid: {
      nx,
      nz,
      ntheta: angleBins(scenario),
      // Cells fill the box exactly also where the sizes in the file are rounded.
      dx_mm: geometry.width_mm / nx,
      dz_mm: geometry.depth_mm / nz,
      dtheta_rad: grid.dtheta_mrad / 1000,
      theta_centre_rad: angle_rad,
      energy:
        grid.energy.kind === 'range' ? { kind: 'range', step_mm: takenRangeStep_mm(scenario, context) } : grid.energy,
      cutoff_MeV: grid.cutoff_MeV,
    },
    materials: list.entries,
    map,
    initial: scenario.initial,
    physics: { scattering: physics.scattering, straggling: physics.straggling, nuclear: physics.nuclear },
    solver: { ...solver, memory_limit_bytes: context.memoryLimit_bytes },
    keyframes: scenario.output.keyframes,
  };
}
