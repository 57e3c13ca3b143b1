/** On what a report was measured, in one line of the command line. */
import { provenanceText } from '../../../renderer/base/provenance.ts';
import type { Provenance } from '../../contract/bench/comparison.ts';

/** Device, driver, clocks, version, commit and day; then the processor, named once where it is the device. */
export function measuredOn(
  provenance: Provenance,
  { cpu, isa }: { readonly cpu: string; readonly isa: string },
): string {
  return `${provenanceText(provenance)}; ${provenance.machine === cpu ? isa : `${cpu}, ${isa}`}`;
}
