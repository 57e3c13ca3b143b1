/**
 * Scenario files of the transport workload: tables, defaults, checks, and the problem.
 *
 * A named variant determines the stepping and precision that the file omits. A variant such as `depth`, which supports
 * only depth stepping, can thus be selected without further changes. The stopping-power table of water comes from the
 * library, or from a user's file in the folder of the scenario.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Issue } from '../../../../contract/errors.ts';
import {
  type FieldIssue,
  type Path,
  type TransportScenario,
  type TransportWithStaticDefaults,
  valueAt,
} from '../../../../contract/scenario/index.ts';
import type { TransportProblem, VariantOptions } from '../../../io/addon/addon.ts';
import { runInSlices } from '../../../io/flow/cooperative.ts';
import type { ShippedHuTable } from '../../../model/matter/hu-table.ts';
import { completeUserMaterial } from '../../../model/matter/user-material.ts';
import { createNamedFileReader } from '../../../model/scenarios/named-files.ts';
import {
  type Material,
  type MaterialSet,
  type Materials,
  type NuclearTable,
  type RangeTable,
  readStoppingCsv,
  type StoppingTable,
  standardTable,
  stoppingAt,
} from '../../../model/scenarios/stopping-table.ts';
import { axisEnd } from './axis-range.ts';
import { withEnergies } from './beam.ts';
import { findContentsInSlices } from './cell-contents.ts';
import { checkTransport, energyIsUnknown } from './check.ts';
import { spreadWarning } from './check-grid.ts';
import { completeTransport } from './complete.ts';
import type { TransportContext } from './context.ts';
import { type PlacedCt, placedCt } from './placed-ct.ts';
import { estimateGrid, type GridEstimate, mixAll, resolveTransport } from './problem.ts';
import { readSpots } from './spots-file.ts';

type Solver = Pick<TransportScenario['solver'], 'stepping' | 'precision'>;

/** Whether the document sets the value, so that it is not a default. */
export const isSet = (document: unknown, key: keyof Solver): boolean =>
  valueAt(document, ['solver', key]) !== undefined;

/** Returns `solver` with stepping and precision that the variant supports. Values in the document are not changed. */
function withSupportedSolver<S extends Solver>(solver: S, document: unknown, offers: VariantOptions | null): S {
  if (offers === null) return solver;
  const taken = <K extends keyof Solver>(key: K, offered: readonly Solver[K][]): Solver[K] =>
    offered.includes(solver[key]) || isSet(document, key) ? solver[key] : (offered[0] ?? solver[key]);
  return {
    ...solver,
    stepping: taken('stepping', offers.steppings),
    precision: taken('precision', offers.precisions),
  };
}

const readTable = createNamedFileReader({
  task: 'read a stopping table',
  path: ['physics', 'stopping_power', 'file'],
  /** Maximum size of a table file in bytes: 10,000 rows of three columns. */
  largest_bytes: 1024 * 1024,
  allowed: 'a CSV file with the columns T_MeV,S in the folder of the scenario',
  parse: (text, name) => {
    const csv = readStoppingCsv(text, name);
    return csv.ok ? { ok: true, value: csv.table } : csv;
  },
});

interface WaterTable {
  /** The requested table. If it cannot be used, the library's standard table, and `issues` contains the reason. */
  readonly table: StoppingTable;
  readonly faults: readonly FieldIssue[];
  /** Errors in the file of the table. */
  readonly issues: readonly Issue[];
}

/**
 * Reads the stopping-power table of water. `scenarioName`: scenario file as displayed, relative to which the table is
 * named.
 */
async function waterTable(
  scenario: TransportWithStaticDefaults,
  materials: Materials,
  folder: string | null,
  scenarioName: string,
): Promise<WaterTable> {
  const wanted = scenario.physics.stopping_power;
  const standard = standardTable(materials.water);
  if (typeof wanted === 'string') {
    const table = materials.water.tables.get(wanted);
    if (table === undefined) throw new Error(`water has no table ${wanted}`);
    return { table, faults: [], issues: [] };
  }
  const { value, faults, issues } = await readTable(wanted.file, { name: scenarioName, folder });
  return { table: value ?? standard, faults, issues };
}

interface TransportServices {
  readonly materials: Materials;
  readonly nuclearTables: readonly NuclearTable[];
  readonly huTable: ShippedHuTable;
  readonly rangeTable: RangeTable;
  readonly variants: readonly string[];
  /**
   * Returns the additional range straggling from the energy grid, as a standard deviation in mm of water. Null if the
   * engine rejects the problem.
   */
  readonly extraStraggling: (problem: TransportProblem) => Promise<number | null>;
  readonly offers: (variant: string) => VariantOptions | null;
  readonly memoryLimit_bytes: number;
}

interface TransportParts {
  /** Complete scenario, as far as possible if there are errors. Null if no energy is known. */
  readonly scenario: TransportScenario | null;
  readonly estimate: GridEstimate | null;
  /** CSDA range in mm along the beam axis from the entrance, through the regions on it. */
  readonly range_mm: number | null;
  /** CSDA range in mm in water of density 1. */
  readonly waterRange_mm: number | null;
  /** Stopping-power table of water that is used. */
  readonly table: StoppingTable;
  /** CT in the box. Null if there is none or it cannot be used. */
  readonly ct: PlacedCt | null;
  readonly faults: readonly FieldIssue[];
  /** Errors in files that the scenario names. */
  readonly issues: readonly Issue[];
  /** Builds the problem. Call it only for a scenario without errors. */
  readonly problem: () => TransportProblem;
  /** Computes warnings about a scenario without errors, before it is run. */
  readonly warnings: () => Promise<readonly FieldIssue[]>;
}

/** Returns the materials of the library and of the scenario. */
function materialsOf(
  { geometry }: TransportWithStaticDefaults,
  { materials, rangeTable, huTable }: TransportServices,
  water: StoppingTable,
): MaterialSet {
  const shipped = geometry.ct?.hu_table === 'schneider' ? huTable.compositions : [];
  const own = [...shipped, ...geometry.materials].map((each): [string, Material] => [
    each.name,
    completeUserMaterial(each, materials, water, rangeTable),
  ]);
  return { ...materials, ...Object.fromEntries(own) } as MaterialSet;
}

/** Computes the cell contents in slices of work. Checks and problem then find them in the cache. */
async function fillCells(scenario: TransportScenario, context: TransportContext): Promise<void> {
  const { geometry, grid } = scenario;
  const [nz, nx] = [Math.round(geometry.depth_mm / grid.dz_mm), Math.round(geometry.width_mm / grid.dx_mm)];
  if ((geometry.regions.length === 0 && context.ct === null) || !(nz >= 1) || !(nx >= 1)) return;
  const { list } = await findContentsInSlices(scenario, context, nz, nx);
  await runInSlices(mixAll(context, list));
}

/** Fills in defaults of a document that satisfies the schema, and checks it. */
export async function readTransport(
  read: TransportWithStaticDefaults,
  document: unknown,
  leftOut: readonly Path[],
  place: { readonly name: string; readonly folder: string | null },
  services: TransportServices,
): Promise<TransportParts> {
  const filled = { ...read, solver: withSupportedSolver(read.solver, document, services.offers(read.solver.variant)) };
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
    range_mm: energyIsOff ? null : axisEnd(scenario, context).range_mm,
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

export type { GridEstimate } from './problem.ts';
