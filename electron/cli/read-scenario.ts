/**
 * Reads the scenario of a verb once, with --set and --variant, for any workload. Prints input errors with their
 * locations.
 *
 * Operands that name a scenario, and overrides by --set.
 *
 * Operands that name a run file.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { BraggError, Issue } from '../contract/errors.ts';
import { formatIssue, type ScenarioKindName, scenarioKindNames } from '../contract/scenario/index.ts';
import type { ValidReading } from '../host/api/benches.ts';
import { runPacker } from '../host/api/files.ts';
import { placeOf, problemFileIn } from '../host/api/kernels.ts';
import {
  type AnyRunData,
  type Override,
  parseOverride,
  refusalOf,
  type ScenarioReading,
} from '../host/api/scenarios.ts';
import { type Host, type NativeAddon, readUserFile } from '../host/index.ts';
import { type ParsedArguments, UsageError } from './arguments.ts';
import { assetsFolder } from './assets-folder.ts';
import type { Terminal } from './terminal.ts';
import { openVariant, trustNamed } from './user-kernels.ts';
import type { VerbContext } from './verb.ts';

type Style = (style: 'red' | 'yellow' | 'bold', text: string) => string;

/** One line: `error` or `warning`, the location, the error and the allowed values. */
export function issueLine(issue: Issue, style: Style): string {
  const word = issue.severity === 'error' ? style('red', 'error') : style('yellow', 'warning');
  return `${word} ${formatIssue(issue)}`;
}

/** Prints issues of the input to standard error, separate from the result. */
export function printIssues(terminal: Terminal, issues: readonly Issue[]): void {
  for (const issue of issues) terminal.say(issueLine(issue, (style, text) => terminal.styleSaid(style, text)));
}

/** Error as a JSON document, for --json. */
export function errorDocument(error: BraggError): object {
  return { error: { code: error.code, message: error.message, issues: error.issues } };
}

/** Whether an error is caused by the user's input. */
export function isBadInput(error: BraggError): boolean {
  return ['invalid', 'unsupported', 'memory', 'not-found', 'untrusted', 'foreign-file', 'exists'].includes(error.code);
}

/** Shipped scenarios are in a folder named by their kind; those of the first kind are at the top level. */
const shippedFolders = ['', ...scenarioKindNames];

/** Path of a scenario file, or of a shipped scenario by its name. */
export function scenarioPath(operand: string): string {
  if (existsSync(operand)) return (statSync(operand).isDirectory() && problemFileIn(operand)) || operand;
  if (!/^[\w.-]+$/.test(operand)) return operand;
  const name = `${operand.replace(/\.json$/, '')}.json`;
  const shipped = shippedFolders.map((folder) => join(assetsFolder(), 'scenarios', folder, name));
  return shipped.find((file) => existsSync(file)) ?? operand;
}

/** Overrides by --set, in the order given. Throws UsageError. */
export function overridesOf({ flags }: ParsedArguments): readonly Override[] {
  return (flags.get('set') ?? []).map((text) => {
    const override = parseOverride(text);
    if (typeof override === 'string') throw new UsageError(`--set: ${override}`);
    return override;
  });
}

/** Scenario changes by --variant, and notes to print about them. Throws UsageError. */
export type VariantFitter = (
  variant: string,
  reading: ScenarioReading,
  given: readonly Override[],
  addon: NativeAddon,
) => { readonly overrides: readonly Override[]; readonly notes: readonly string[] };

export const fitByName: VariantFitter = (variant) => ({
  overrides: [{ path: ['solver', 'variant'], value: variant }],
  notes: [],
});

/**
 * Applies `more` last. Prints changes and warnings by --variant, and obtains trust for a user kernel. Throws BraggError
 * with every issue if the scenario cannot be run.
 */
export async function readScenario(
  context: VerbContext,
  host: Host,
  fitOf: (kind: ScenarioKindName) => VariantFitter,
  more: readonly Override[] = [],
): Promise<ValidReading> {
  const { parsed, terminal } = context;
  const path = scenarioPath(parsed.operands[0] ?? '');
  const given = overridesOf(parsed);
  const read = async (overrides: readonly Override[]): Promise<ValidReading> => {
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
  printIssues(terminal, reading.issues);
  return reading;
}

/** Reads a run of any workload. Throws BraggError with the issue of the file. */
export async function anyRunFile(path: string): Promise<AnyRunData> {
  const bytes = await readUserFile(path, 'a run');
  return runPacker.read(bytes, path);
}
