/** Reads the scenario of a small measured workload for measuring. */
import type { Host } from '../../../host/index.ts';
import type { Override, TaskReading } from '../../../host/workloads/scenarios/index.ts';
import { isTask } from '../../../host/workloads/task/scenario/reading.ts';
import { fitByName, readScenario } from '../../read-scenario.ts';
import type { VerbContext } from '../../verb.ts';

export async function readTaskScenario(
  context: VerbContext,
  host: Host,
  more: readonly Override[] = [],
): Promise<TaskReading> {
  const reading = await readScenario(context, host, () => fitByName, more);
  if (!isTask(reading)) throw new Error('the scenario has changed while it was read');
  return reading;
}
