/** On what a report was measured, in one line of the command line. */
import { provenanceText } from '../../../renderer/base/provenance.ts';
import type { Provenance } from '../../contract/bench/comparison.ts';
import { type Environment, environmentFacts } from '../../contract/bench/environment.ts';

/** Device, driver, clocks, version, commit and day; then the processor, named once where it is the device. */
export function measuredOn(
  provenance: Provenance,
  { cpu, isa }: { readonly cpu: string; readonly isa: string },
): string {
  return `${provenanceText(provenance)}; ${provenance.machine === cpu ? isa : `${cpu}, ${isa}`}`;
}

/** Under what it was measured, a line for each; none of an older session. */
export function measuredUnder(environment: Environment | undefined, cores: number): readonly string[] {
  return environmentFacts(environment, cores).map(([name, value]) => `${name}: ${value}`);
}
