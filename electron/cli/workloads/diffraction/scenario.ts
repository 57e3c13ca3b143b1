/** Reads a diffraction scenario for measuring. */
import type { Host } from '../../../host/index.ts';
import type { DiffractionReading, Override } from '../../../host/workloads/scenarios/index.ts';
import { fitByName, readScenario } from '../../read-scenario.ts';
import type { VerbContext } from '../../verb.ts';

export async function readImageScenario(
  context: VerbContext,
  host: Host,
  more: readonly Override[] = [],
): Promise<DiffractionReading> {
  const reading = await readScenario(context, host, () => fitByName, more);
  if (reading.kind !== 'diffraction') throw new Error('the scenario has changed while it was read');
  return reading;
}
