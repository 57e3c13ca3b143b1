/** The transport workload's side of scenario files: tables, defaults, checks, the problem. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Issue } from '../../../../contract/errors.ts';
import {
  type Fault,
  type Path,
  type TransportScenario,
  type TransportWithConstants,
  valueAt,
} from '../../../../contract/scenario/index.ts';
import type { Offers, TransportProblem } from '../../../io/addon/addon.ts';
import { inTurns } from '../../../io/flow/in-turns.ts';
import type { ShippedHuTable } from '../../../model/matter/hu-table.ts';
import { ownMaterial } from '../../../model/matter/own-material.ts';
import type { Material, MaterialSet, Materials } from '../../../model/scenarios/materials.ts';
import type { NuclearTable } from '../../../model/scenarios/nuclear-tables.ts';
import { type RangeTable, type StoppingTable, stoppingAt } from '../../../model/scenarios/stopping-table.ts';
import { axisRange_mm } from './axis-range.ts';
import { withEnergies } from './beam.ts';
import { findContentsInTurns } from './cell-contents.ts';
import { checkTransport, energyIsUnknown } from './check.ts';
import { completeTransport } from './complete.ts';
import type { TransportContext } from './context.ts';
import { placedCt } from './ct/ct-file.ts';
import type { PlacedCt } from './ct/placed-ct.ts';
import { estimateGrid, type GridEstimate } from './estimate.ts';
import { mixAll } from './mixture.ts';
import { asOffered } from './offered.ts';
import { resolveTransport } from './resolve.ts';
import { readSpots } from './spots-file.ts';
import { waterTable } from './user-table.ts';
import { spreadWarning } from './warn-spread.ts';

interface TransportServices {
  readonly materials: Materials;
  readonly nuclearTables: readonly NuclearTable[];
  readonly huTable: ShippedHuTable;
  readonly rangeTable: RangeTable;
  readonly variants: readonly string[];
  /** Range spread (sigma, mm of water) that the energy grid adds; null: the engine refuses the problem. */
  readonly extraStraggling: (problem: TransportProblem) => Promise<number | null>;
  readonly offers: (variant: string) => Offers | null;
  readonly memoryLimit_bytes: number;
}

interface TransportParts {
  /** Every value present, as far as possible if there are errors. Null if there is no usable energy. */
  readonly scenario: TransportScenario | null;
  readonly estimate: GridEstimate | null;
  /** CSDA range along the beam's axis from the entrance, through the regions on it; mm. */
  readonly range_mm: number | null;
  /** CSDA range in water of density 1; mm. */
  readonly waterRange_mm: number | null;
  /** The stopping power table of water in use. */
  readonly table: StoppingTable;
  /** Null if there is none or it cannot be used. */
  readonly ct: PlacedCt | null;
  readonly faults: readonly Fault[];
  /** Errors in files that the scenario names. */
  readonly issues: readonly Issue[];
  /** Only for a scenario without errors. */
  readonly problem: () => TransportProblem;
  /** Warnings for a scenario without errors, before it is run. */
  readonly warnings: () => Promise<readonly Fault[]>;
}

/** The library's materials with the scenario's own. */
function materialsOf(
  { geometry }: TransportWithConstants,
  { materials, rangeTable, huTable }: TransportServices,
  water: StoppingTable,
): MaterialSet {
  const shipped = geometry.ct?.hu_table === 'schneider' ? huTable.compositions : [];
  const own = [...shipped, ...geometry.materials].map((each): [string, Material] => [
    each.name,
    ownMaterial(each, materials, water, rangeTable),
  ]);
  return { ...materials, ...Object.fromEntries(own) } as MaterialSet;
}

/** Finds what fills the cells while others take their turns: checks and problem then have it at once. */
async function fillCells(scenario: TransportScenario, context: TransportContext): Promise<void> {
  const { geometry, grid } = scenario;
  const [nz, nx] = [Math.round(geometry.depth_mm / grid.dz_mm), Math.round(geometry.width_mm / grid.dx_mm)];
  if ((geometry.regions.length === 0 && context.ct === null) || !(nz >= 1) || !(nx >= 1)) return;
  const { list } = await findContentsInTurns(scenario, context, nz, nx);
  await inTurns(mixAll(context, list));
}

/** Completes and checks what the schema has let through. */
export async function readTransport(
  read: TransportWithConstants,
  document: unknown,
  leftOut: readonly Path[],
  place: { readonly name: string; readonly folder: string | null },
  services: TransportServices,
): Promise<TransportParts> {
  const filled = { ...read, solver: asOffered(read.solver, document, services.offers(read.solver.variant)) };
  const water = await waterTable(filled, services.materials, place.folder, place.name);
  const materials = materialsOf(filled, services, water.table);
  const ct = await placedCt(filled, materials, services.huTable, place);
  const context: TransportContext = { ...services, materials, water: water.table, ct: ct.placed };
  const { spots } = filled.beam;
  const file = spots === undefined || Array.isArray(spots) ? null : await readSpots(spots.file, place);
  const scenario = completeTransport(await withEnergies(filled, context, file?.value ?? null), context);
  await nextTurn();
  await fillCells(scenario, context);
  await nextTurn();
  const tableIsOff = water.faults.length > 0 || water.issues.length > 0;
  const unusable = [
    ...leftOut,
    ...(tableIsOff ? [['physics', 'stopping_power']] : []),
    ...(file !== null && file.value === null ? [['beam', 'spots']] : []),
    ...(ct.faults.length > 0 ? [['geometry']] : []),
  ];
  const found = checkTransport(scenario, context, unusable, (path) => valueAt(document, path) !== undefined);
  await nextTurn();
  const energyIsOff = energyIsUnknown(unusable);
  return {
    scenario: energyIsOff ? null : scenario,
    estimate: energyIsOff ? null : estimateGrid(scenario, context),
    range_mm: energyIsOff ? null : axisRange_mm(scenario, context),
    waterRange_mm: energyIsOff
      ? null
      : stoppingAt(context.rangeTable, water.table, scenario.beam.energy_MeV).range * 10,
    table: water.table,
    ct: ct.placed,
    faults: [...water.faults, ...(file?.faults ?? []), ...ct.faults, ...found],
    issues: [...water.issues, ...(file?.issues ?? [])],
    problem: () => resolveTransport(scenario, context),
    warnings: async () => {
      if (scenario.initial.kind !== 'beam') return [];
      const added_mm = await services.extraStraggling(resolveTransport(scenario, context));
      const at = stoppingAt(context.rangeTable, water.table, scenario.beam.energy_MeV);
      const warned = added_mm && spreadWarning(scenario, added_mm, at.range * 10, 10 / at.stopping);
      return warned ? [warned] : [];
    },
  };
}

export type { GridEstimate } from './estimate.ts';
