/** The scenario of a small measured workload, as the verbs take it. */
import { BraggError } from '../../../contract/errors.ts';
import { placeOf } from '../../../host/app/user-kernels/user-kernels.ts';
import type { Host } from '../../../host/index.ts';
import { type Override, problemOf, type TaskReading } from '../../../host/workloads/scenarios/index.ts';
import { isTask } from '../../../host/workloads/task/scenario/reading.ts';
import { sayIssues } from '../../issues.ts';
import { overridesOf, scenarioPath } from '../../scenario-file.ts';
import { openVariant, trustNamed } from '../../user-kernels.ts';
import type { VerbContext } from '../../verb.ts';

async function read(path: string, host: Host, overrides: readonly Override[]): Promise<TaskReading> {
  const reading = await host.scenarios.read(path, { overrides });
  if (isTask(reading)) return reading;
  throw new BraggError('invalid', `${path} is no scenario of a small measured workload.`, reading.issues);
}

/** With --set and --variant applied, then `more`; warnings are said. Throws a BraggError for one with errors. */
export async function readTaskScenario(
  context: VerbContext,
  host: Host,
  more: readonly Override[] = [],
): Promise<TaskReading> {
  const { parsed, terminal } = context;
  const path = scenarioPath(parsed.operands[0] ?? '');
  const given = overridesOf(parsed);
  // Which row it is says which variants fit.
  const { scenario } = await read(path, host, given);
  const variant = await openVariant(context, host, placeOf(scenario));
  const chosen: Override[] = variant === undefined ? [] : [{ path: ['solver', 'variant'], value: variant }];
  const reading = await read(path, host, [...given, ...chosen, ...more]);
  problemOf(reading);
  await trustNamed(context, host, reading.scenario);
  sayIssues(terminal, reading.issues);
  return reading;
}
