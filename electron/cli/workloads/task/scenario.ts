/** The scenario of a small measured workload, as the verbs take it. */
import { BraggError } from '../../../contract/errors.ts';
import type { Host } from '../../../host/index.ts';
import { type Override, problemOf, type TaskReading } from '../../../host/scenarios/index.ts';
import { sayIssues } from '../../issues.ts';
import { overridesOf, scenarioPath } from '../../scenario-file.ts';
import type { VerbContext } from '../../verb.ts';

/** With --set applied, then `more`; warnings are said. Throws a BraggError for one with errors. */
export async function readTaskScenario(
  { parsed, terminal }: VerbContext,
  host: Host,
  more: readonly Override[] = [],
): Promise<TaskReading> {
  const path = scenarioPath(parsed.operands[0] ?? '');
  const reading = await host.scenarios.readAny(path, { overrides: [...overridesOf(parsed), ...more] });
  if (reading.kind !== 'linear-relu' && reading.kind !== 'micro') {
    throw new BraggError('invalid', `${path} is no scenario of a small measured workload.`, reading.issues);
  }
  problemOf(reading);
  sayIssues(terminal, reading.issues);
  return reading;
}
