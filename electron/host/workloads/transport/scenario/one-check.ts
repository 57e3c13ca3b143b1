/** One check of a scenario. */
import type { Fault, TransportScenario } from '../../../../contract/scenario/index.ts';
import type { TransportContext } from './context.ts';

export interface Check {
  /** Paths that the check reads, as in `beam.energy_MeV`. */
  readonly uses: readonly string[];
  readonly run: (scenario: TransportScenario, context: TransportContext, region: RegionIndex) => readonly Fault[];
}

/** The index in the file of a region in the scenario, where faulty regions before it were left out. */
export type RegionIndex = (index: number) => number;
