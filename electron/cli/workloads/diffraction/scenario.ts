/** Reads a diffraction scenario with --set and --variant. */
import type { Host } from '../../../host/index.ts';
import { type DiffractionReading, type Override, problemOf } from '../../../host/workloads/scenarios/index.ts';
import { sayIssues } from '../../issues.ts';
import { overridesOf, scenarioPath } from '../../scenario-file.ts';
import { openVariant, trustNamed } from '../../user-kernels.ts';
import type { VerbContext } from '../../verb.ts';

/** Says what to beware of. Throws a BraggError with every issue if the scenario cannot be run. */
export async function readImageScenario(
  context: VerbContext,
  host: Host,
  more: readonly Override[] = [],
): Promise<DiffractionReading> {
  const { parsed, terminal } = context;
  const variant = await openVariant(context, host, { workload: 'diffraction', bench: '' });
  const chosen: Override[] = variant === undefined ? [] : [{ path: ['solver', 'variant'], value: variant }];
  const overrides = [...overridesOf(parsed), ...chosen, ...more];
  const reading = await host.scenarios.read(scenarioPath(parsed.operands[0] ?? ''), { overrides });
  if (reading.kind !== 'diffraction') throw new Error('the scenario has changed while it was read');
  problemOf(reading);
  await trustNamed(context, host, reading.scenario);
  sayIssues(terminal, reading.issues);
  return reading;
}
