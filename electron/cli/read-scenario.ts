/**
 * Reads the scenario of a command for any workload, applying --set and --variant, and prints input errors with their
 * locations. Also finds scenarios and run files by the operands that name them.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { BraggError, Issue } from '../contract/errors.ts';
import { formatIssue, type ScenarioKindName, scenarioKindNames } from '../contract/scenario/index.ts';
import type { ValidReading } from '../host/api/benches.ts';
import { runPacker } from '../host/api/files.ts';
import { benchKindOf, problemFileIn } from '../host/api/kernels.ts';
import {
  type AnyRunData,
  invalidScenarioError,
  type Override,
  parseOverride,
  type ScenarioReading,
} from '../host/api/scenarios.ts';
import { type Host, type NativeAddon, readUserFile } from '../host/index.ts';
import { type ParsedArguments, UsageError } from './arguments.ts';
import { assetsFolder } from './assets-folder.ts';
import type { Terminal } from './terminal.ts';
import { openVariant, trustSelectedKernel } from './user-kernels.ts';
import type { VerbContext } from './verb.ts';

type Style = (style: 'red' | 'yellow' | 'bold', text: string) => string;

/** Formats an issue in one line: `error` or `warning`, location, message and allowed values. */
export function issueLine(issue: Issue, style: Style): string {
  const word = issue.severity === 'error' ? style('red', 'error') : style('yellow', 'warning');
  return `${word} ${formatIssue(issue)}`;
}

/** Prints issues to standard error, apart from the result. */
export function printIssues(terminal: Terminal, issues: readonly Issue[]): void {
  for (const issue of issues) terminal.printNote(issueLine(issue, (style, text) => terminal.styleNote(style, text)));
}

/** JSON document for an error, printed with --json. */
export function errorDocument(error: BraggError): object {
  return { error: { code: error.code, message: error.message, issues: error.issues } };
}

/** Whether the user's input caused the error. */
export function isBadInput(error: BraggError): boolean {
  return ['invalid', 'unsupported', 'memory', 'not-found', 'untrusted', 'foreign-file', 'exists'].includes(error.code);
}

/** Folders of the built-in scenarios: top level for the first kind, otherwise named by kind. */
const builtInFolders = ['', ...scenarioKindNames];

/** Path of a scenario file, or of a built-in scenario given by its name. */
export function scenarioPath(operand: string): string {
  if (existsSync(operand)) return (statSync(operand).isDirectory() && problemFileIn(operand)) || operand;
  if (!/^[\w.-]+$/.test(operand)) return operand;
  const name = `${operand.replace(/\.json$/, '')}.json`;
  const shipped = builtInFolders.map((folder) => join(assetsFolder(), 'scenarios', folder, name));
  return shipped.find((file) => existsSync(file)) ?? operand;
}

/** Parses the overrides given by --set, in order. Throws UsageError. */
export function parseOverrides({ flags }: ParsedArguments): readonly Override[] {
  return (flags.get('set') ?? []).map((text) => {
    const override = parseOverride(text);
    if (typeof override === 'string') throw new UsageError(`--set: ${override}`);
    return override;
  });
}

/** Function that adapts a scenario to the variant of --variant, with notes to print. Throws UsageError. */
export type VariantAdapter = (
  variant: string,
  reading: ScenarioReading,
  given: readonly Override[],
  addon: NativeAddon,
) => { readonly overrides: readonly Override[]; readonly notes: readonly string[] };

export const adaptByName: VariantAdapter = (variant) => ({
  overrides: [{ path: ['solver', 'variant'], value: variant }],
  notes: [],
});

/**
 * Reads the scenario of a command, and applies --set and --variant, then `more`. Prints warnings and changes by
 * --variant. Asks for trust in a user kernel. Throws BraggError with all issues if the scenario cannot run.
 */
export async function readScenario(
  context: VerbContext,
  host: Host,
  adapterOf: (kind: ScenarioKindName) => VariantAdapter,
  more: readonly Override[] = [],
): Promise<ValidReading> {
  const { parsed, terminal } = context;
  const path = scenarioPath(parsed.operands[0] ?? '');
  const given = parseOverrides(parsed);
  const read = async (overrides: readonly Override[]): Promise<ValidReading> => {
    const found = await host.scenarios.read(path, { overrides });
    if (found.kind === null) throw invalidScenarioError(found.issues);
    return found;
  };
  let reading = await read([...given, ...more]);
  const variant = await openVariant(context, host, benchKindOf(reading.scenario ?? { kind: reading.kind }));
  if (variant !== undefined) {
    const fitted = adapterOf(reading.kind)(variant, reading, given, host.addon);
    for (const note of fitted.notes) terminal.printNote(note);
    reading = await read([...given, ...fitted.overrides, ...more]);
  }
  if (reading.problem === null) throw invalidScenarioError(reading.issues);
  if (reading.scenario !== null) await trustSelectedKernel(context, host, reading.scenario);
  printIssues(terminal, reading.issues);
  return reading;
}

/** Reads a run file of any workload. Throws BraggError if the file is invalid. */
export async function readAnyRunFile(path: string): Promise<AnyRunData> {
  const bytes = await readUserFile(path, 'a run');
  return runPacker.read(bytes, path);
}
