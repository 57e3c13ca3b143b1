/** A complete scenario as the problem that the engines take. */
import type { Spot, TransportScenario } from '../../../../contract/scenario/index.ts';
import type { TransportProblem } from '../../../io/addon/addon.ts';
import { takenRangeStep_mm } from './bins-per-step.ts';
import { cellContents } from './cell-contents.ts';
import type { TransportContext } from './context.ts';
import { angleBins } from './estimate.ts';
import { problemMaterial } from './mixture.ts';

type ProblemBeam = TransportProblem['beam'];

/** Along the entry plane, of a beam or a spot under its own angle. */
function widthInPlane(
  beam: TransportScenario['beam'],
  of: { readonly x_sigma_mm: number; readonly angle_deg: number },
): number {
  return beam.x_sigma_is === 'plane' ? of.x_sigma_mm : of.x_sigma_mm / Math.cos((of.angle_deg * Math.PI) / 180);
}

/** The beam's spots in the engine's form; empty if there is a single beam. */
function spotsOfProblem({ beam }: TransportScenario): readonly ProblemBeam[] {
  return (beam.spots ?? []).map((spot: Spot) => ({
    energy_MeV: spot.energy_MeV,
    energy_sigma_MeV: spot.energy_sigma_MeV,
    angle_rad: (spot.angle_deg * Math.PI) / 180,
    angle_sigma_rad: spot.angle_sigma_mrad / 1000,
    x_mm: spot.x_mm,
    ...(spot.y_mm === undefined ? {} : { y_mm: spot.y_mm }),
    x_sigma_mm: widthInPlane(beam, spot),
    y_sigma_mm: beam.y_sigma_mm ?? spot.x_sigma_mm,
    focus_mm: beam.focus_mm,
    z_mm: beam.z_mm,
    weight: beam.weight * spot.weight,
  }));
}

/** `scenario` has passed its checks. */
export function resolveTransport(scenario: TransportScenario, context: TransportContext): TransportProblem {
  const { beam, geometry, grid, solver, physics } = scenario;
  const nx = Math.round(geometry.width_mm / grid.dx_mm);
  const nz = Math.round(geometry.depth_mm / grid.dz_mm);
  const contents = cellContents(scenario, context, nz, nx);
  const spots = spotsOfProblem(scenario);
  const angle_rad = (beam.angle_deg * Math.PI) / 180;
  return {
    beam: {
      energy_MeV: beam.energy_MeV,
      energy_sigma_MeV: beam.energy_sigma_MeV,
      angle_rad,
      angle_sigma_rad: beam.angle_sigma_mrad / 1000,
      x_mm: beam.x_mm,
      x_sigma_mm: widthInPlane(beam, beam),
      y_sigma_mm: beam.y_sigma_mm ?? beam.x_sigma_mm,
      focus_mm: beam.focus_mm,
      z_mm: beam.z_mm,
      weight: spots.length === 0 ? beam.weight : spots.reduce((sum, { weight }) => sum + weight, 0),
    },
    ...(spots.length === 0 ? {} : { spots }),
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
    materials: contents.list.map((one) => problemMaterial(context, one)),
    map: contents.map(),
    initial: scenario.initial,
    physics: {
      scattering: physics.scattering,
      straggling: physics.straggling,
      nuclear: physics.nuclear,
      ...(physics.nuclear === 'icru63' ? { nuclear_tables: context.nuclearTables } : {}),
    },
    solver: { ...solver, memory_limit_bytes: context.memoryLimit_bytes },
    keyframes: scenario.output.keyframes,
    ...(scenario.output.let ? { tracks: { spectra_mm: Float64Array.from(scenario.output.spectra_mm) } } : {}),
  };
}
