/** A question of Live made into a run: as Run would solve it, or on a grid that is answered soon. */
import type { ScenarioDraft } from '../../../../contract/scenario/draft.ts';
import type { TransportScenario } from '../../../../contract/scenario/index.ts';
import type { WhatIfWay } from '../../../../contract/scenario/transport/what-if.ts';
import type { TransportResolved } from '../../../../contract/scenario/transport/workload.ts';
import type { NativeAddon } from '../../../io/addon/addon.ts';
import {
  type AnyReading,
  problemOf,
  refusalOf,
  type ScenarioOrigin,
  type Scenarios,
  type TransportReading,
} from '../../scenarios/index.ts';
import { rangesOf } from '../bench/expected-time.ts';
import { TransportRunning } from '../running.ts';
import { variantsFor } from '../variants.ts';
import { laid } from '../work.ts';
import { asItIs, coarser, type Factors, isLayered } from './coarser.ts';
import type { Kind, Pace } from './pace.ts';

interface WhatIfQuestion {
  readonly document: ScenarioDraft;
  readonly place: ScenarioOrigin;
  /** As Run solves it. */
  readonly full: boolean;
  /** A dose is subtracted from the answer's: both need the same cells. */
  readonly sameDose: boolean;
}

export interface PreparedWhatIf {
  readonly running: TransportRunning;
  /** The scenario as entered. */
  readonly reading: TransportReading;
  /** The scenario that is solved. */
  readonly solved: TransportReading;
  readonly way: WhatIfWay;
  readonly resolved: TransportResolved;
  /** Visits of a cell, and what visits them, for the pace; null where moments visit none. */
  readonly cells: number;
  readonly kind: Kind | null;
}

interface Parts {
  readonly addon: NativeAddon;
  readonly scenarios: Scenarios;
  readonly memoryLimit_bytes: number;
}

/** Throws BraggError with the issues of one that cannot be solved. */
function solvable(reading: AnyReading): TransportReading {
  if (reading.kind === 'transport' && reading.problem !== null) return reading;
  if (reading.kind === null || reading.kind === 'transport') throw refusalOf(reading.issues);
  throw refusalOf([
    {
      severity: 'error',
      file: null,
      path: 'kind',
      line: null,
      column: null,
      message: 'Live solves proton transport only',
      value: reading.kind,
      allowed: 'transport',
    },
  ]);
}

/**
 * The scenario by moments on its own grid, where its matter is layered; else on the coarser grid, on that of its dose, or
 * as it is, where that cannot be.
 */
async function readSooner(
  { scenarios }: Parts,
  { document, place }: WhatIfQuestion,
  reading: TransportReading,
  factors: Factors,
): Promise<TransportReading> {
  if (reading.scenario === null) return reading;
  const layered = isLayered(problemOf(reading));
  const ways: readonly (readonly [Factors, 'auto' | 'moments'])[] = [
    ...(layered ? ([[asItIs, 'moments']] as const) : []),
    [factors, 'auto'],
    [asItIs, 'auto'],
  ];
  for (const [tried, variant] of ways) {
    const found = await scenarios.checkQuickly(coarser(document, reading.scenario, tried, variant), place);
    if (found.kind === 'transport' && found.problem !== null) return found;
  }
  return reading;
}

/** Cell sizes of one grid in units of another's. A grid with few cells is coarsened by less than requested. */
function cellsIn(grid: TransportScenario['grid'], of: TransportScenario['grid']): Factors {
  const ratio = (key: 'dx_mm' | 'dz_mm' | 'dtheta_mrad'): number => Number((grid[key] / of[key]).toPrecision(9));
  return { x: ratio('dx_mm'), z: ratio('dz_mm'), theta: ratio('dtheta_mrad') };
}

/** Kind of device that `auto` uses. */
function kindOf(addon: NativeAddon): Kind {
  const usable = addon
    .variants()
    .some(({ device, available, steppings }) => available && device !== 'cpu' && steppings.includes('depth'));
  return usable ? 'gpu' : 'cpu';
}

/** Throws BraggError for what cannot be solved. */
export async function prepareWhatIf(parts: Parts, question: WhatIfQuestion, pace: Pace): Promise<PreparedWhatIf> {
  const { addon, scenarios, memoryLimit_bytes } = parts;
  const { document, place, full, sameDose } = question;
  const reading = solvable(await scenarios.checkQuickly(document, place));
  const kind = kindOf(addon);
  const wanted = full ? asItIs : pace.factors(kind, reading.estimate?.cells ?? 0, sameDose);
  const solved = full ? reading : await readSooner(parts, question, reading, wanted);
  const { scenario } = solved;
  const { range_mm, waterRange_mm, table, estimate } = reading;
  if (scenario === null || reading.scenario === null || range_mm === null || waterRange_mm === null || table === null) {
    throw refusalOf(reading.issues);
  }
  const problem = problemOf(solved);
  const { native } = await laid(addon, problem, rangesOf(reading));
  const { plan } = native;
  const running = new TransportRunning(addon, native, { problem, table, trace: false, unwatched: true });
  const cells = plan.ne * plan.ntheta * plan.nz * plan.nx;
  return {
    running,
    reading,
    solved,
    kind: plan.variant === 'moments' ? null : running.device === 'cpu' ? 'cpu' : 'gpu',
    cells,
    way: {
      variant: plan.variant,
      device: running.device,
      stepping: problem.solver.stepping,
      coarser: { ...cellsIn(scenario.grid, reading.scenario.grid) },
      dx_mm: problem.grid.dx_mm,
      dz_mm: problem.grid.dz_mm,
      dtheta_mrad: problem.grid.dtheta_rad * 1000,
    },
    resolved: {
      kind: 'transport',
      scenario: { ...reading.scenario },
      variant: plan.variant,
      variants: variantsFor(addon, reading.scenario.solver, document),
      estimate: { total_bytes: plan.estimate_bytes, limit_bytes: memoryLimit_bytes },
      grid: { ne: plan.ne, ntheta: plan.ntheta, nz: plan.nz, nx: plan.nx },
      cells,
      state_bytes: estimate?.state_bytes ?? plan.estimate_bytes,
      steps_max: plan.steps_max,
      range_mm,
      waterRange_mm,
      table,
    },
  };
}
