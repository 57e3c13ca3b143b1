/** The scenario that a verb is given, read once with --set and --variant, whatever its workload. */
import type { ScenarioKindName } from '../contract/scenario/index.ts';
import { placeOf } from '../host/app/user-kernels/user-kernels.ts';
import type { Host } from '../host/index.ts';
import type { NativeAddon } from '../host/io/addon/addon.ts';
import { type AnyReading, type Override, refusalOf } from '../host/workloads/scenarios/index.ts';
import { sayIssues } from './issues.ts';
import { overridesOf, scenarioPath } from './scenario-file.ts';
import { openVariant, trustNamed } from './user-kernels.ts';
import type { VerbContext } from './verb.ts';

/** Scenario changes for --variant, and the notes to print about them. Throws a UsageError. */
export type Fit = (
  variant: string,
  reading: AnyReading,
  given: readonly Override[],
  addon: NativeAddon,
) => { readonly overrides: readonly Override[]; readonly notes: readonly string[] };

export const fitByName: Fit = (variant) => ({
  overrides: [{ path: ['solver', 'variant'], value: variant }],
  notes: [],
});

export type KnownReading = Extract<AnyReading, { readonly kind: string }>;

/**
 * With `more` applied last. Says what --variant changed and what to beware of, and obtains trust for a user kernel.
 * Throws a BraggError with every issue if the scenario cannot be run.
 */
export async function readScenario(
  context: VerbContext,
  host: Host,
  fitOf: (kind: ScenarioKindName) => Fit,
  more: readonly Override[] = [],
): Promise<KnownReading> {
  const { parsed, terminal } = context;
  const path = scenarioPath(parsed.operands[0] ?? '');
  const given = overridesOf(parsed);
  const read = async (overrides: readonly Override[]): Promise<KnownReading> => {
    const found = await host.scenarios.read(path, { overrides });
    if (found.kind === null) throw refusalOf(found.issues);
    return found;
  };
  let reading = await read([...given, ...more]);
  const variant = await openVariant(context, host, placeOf(reading.scenario ?? { kind: reading.kind }));
  if (variant !== undefined) {
    const fitted = fitOf(reading.kind)(variant, reading, given, host.addon);
    for (const note of fitted.notes) terminal.say(note);
    reading = await read([...given, ...fitted.overrides, ...more]);
  }
  if (reading.problem === null) throw refusalOf(reading.issues);
  if (reading.scenario !== null) await trustNamed(context, host, reading.scenario);
  sayIssues(terminal, reading.issues);
  return reading;
}
