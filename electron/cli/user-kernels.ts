/**
 * User kernels on the command line, where files replace variant names. Asks users at a terminal whether they trust a
 * kernel.
 */
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { BraggError } from '../contract/errors.ts';
import { USER_PROBLEM } from '../contract/scenario/user-problem/index.ts';
import { parseConfigured, variantOfLabel } from '../contract/tuning/configured.ts';
import { checkText, isOpenCheck, type UserKernelVerdict } from '../contract/user-kernels/checks.ts';
import { optionsText } from '../contract/user-kernels/options.ts';
import { isUserKernelId } from '../contract/user-kernels.ts';
import { countText } from '../domain/values/units.ts';
import { type BenchKind, benchKindOf } from '../host/api/kernels.ts';
import { type AnyRunData, hostWorkloads, type ScenarioReading } from '../host/api/scenarios.ts';
import type { Host } from '../host/index.ts';
import { type FlagSpec, flagNumber, flagValue, hasFlag, listFlag } from './arguments.ts';
import type { Terminal } from './terminal.ts';
import type { VerbContext } from './verb.ts';

/** Whether a user can answer prompts. Otherwise, errors name the flag to use instead. */
export function canPrompt(terminal: Terminal): boolean {
  return process.stdin.isTTY === true && terminal.isErrorTerminal;
}

/** True for y or yes. */
export async function confirmTrust(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(question)).trim());
  } finally {
    lines.close();
  }
}

export const trustFlag: FlagSpec = {
  name: 'trust',
  help: 'Trust the named user kernels in their current version: they are code that runs with your rights.',
};

export const userKernelFlags: readonly FlagSpec[] = [
  trustFlag,
  {
    name: 'limit',
    value: 'SECONDS',
    help: 'Maximum seconds for one run of a user kernel (120).',
  },
];

/**
 * Splits a label such as `./my.cu@fp64` into file and suffix. The colon after a Windows drive letter is part of the
 * file.
 */
const KERNEL_LABEL = /^(.+\.(?:cu|cpp|py))((?:\[[\w=;-]+\])?(?:@[^:]*)?(?::\d{1,3})?)$/;

export async function obtainTrust({ parsed, terminal }: VerbContext, host: Host, file: string): Promise<void> {
  const kernel = host.userKernels.find(basename(file));
  if (kernel === null || host.userKernels.isTrusted(kernel)) return;
  const { description, referenceProgram: answer, id, sha256 } = kernel;
  if (!hasFlag(parsed, 'trust')) {
    const program = answer === null ? '' : ` ${answer.name}, which computes its expected result, runs too.`;
    const what = `${kernel.file} replaces ${description.replaces} in ${description.base}.${program} It is code that runs with your rights.`;
    if (!canPrompt(terminal)) {
      throw new BraggError('untrusted', `${what} It does not run until you confirm that you trust it: use --trust`);
    }
    terminal.printNote(what);
    if (!(await confirmTrust(`Do you trust ${id}, SHA-256 ${sha256.slice(0, 16)}…? [y/N] `))) {
      throw new BraggError('untrusted', `${id} is not trusted, so it is not run.`);
    }
  }
  await host.trust.add(sha256, kernel.file);
}

/** Registers a variant with changed constants. It may be based on a user kernel that is already open. */
async function registerConfiguration(host: Host, label: string, place: BenchKind): Promise<void> {
  const id = variantOfLabel(label);
  if (parseConfigured(id) !== null) await host.userKernels.openFromFolders([], id, place);
}

/**
 * Opens the user kernels among variant names, and asks for trust in them. Returns the names with kernel ids in place of
 * paths. Throws BraggError, for example if a kernel is for a different workload.
 */
export async function openUserKernels(
  context: VerbContext,
  host: Host,
  names: readonly string[],
  place: BenchKind,
): Promise<readonly string[]> {
  const limit_s = flagNumber(context.parsed, 'limit', { min: 0.1, max: 86_400 });
  if (limit_s !== undefined) host.userKernels.limit_s = limit_s;
  const ids: string[] = [];
  for (const name of names) {
    const [, file, rest = ''] = KERNEL_LABEL.exec(name) ?? [];
    if (file === undefined) {
      ids.push(name);
    } else {
      // Without such a file, look for a candidate of the problem with this name.
      const known = existsSync(resolve(file)) ? null : host.userKernels.find(file);
      const { id } = known ?? (await host.userKernels.open(resolve(file)));
      host.userKernels.requireMatchingWorkload(id, place);
      await obtainTrust(context, host, file);
      ids.push(id + rest);
    }
    await registerConfiguration(host, ids.at(-1) ?? name, place);
  }
  // Compile before measuring, so that times do not include the compiler.
  await host.userKernels.prepare(ids, place);
  return ids;
}

/** Opens the variants of --variants; null if the flag is absent. */
export async function openRequestedVariants(
  context: VerbContext,
  host: Host,
  place: BenchKind,
): Promise<readonly string[] | null> {
  const named = listFlag(context.parsed, 'variants');
  return named === null ? null : openUserKernels(context, host, named, place);
}

/**
 * Ids of the usable default variants: candidates of a user problem, or built-in variants. Other user kernels must be
 * selected by name.
 */
export function usableVariants(
  all: readonly { readonly id: string; readonly workload: string; readonly available: boolean }[],
): readonly string[] {
  return all
    .filter(({ id, workload, available }) => available && (workload === USER_PROBLEM || !isUserKernelId(id)))
    .map(({ id }) => id);
}

/** Opens and trusts the variant of --variant; undefined if the scenario's own variant is to run. */
export async function openVariant(context: VerbContext, host: Host, place: BenchKind): Promise<string | undefined> {
  const named = flagValue(context.parsed, 'variant');
  const [variant] = await openUserKernels(context, host, named === undefined ? [] : [named], place);
  return variant;
}

/**
 * Asks for trust in the user kernel that the scenario selects. For `auto` in a user problem, asks for each candidate.
 */
export async function trustSelectedKernel(
  context: VerbContext,
  host: Host,
  scenario: ScenarioWithVariant,
): Promise<void> {
  const { variant } = scenario.solver;
  const place = benchKindOf(scenario);
  if (scenario.kind !== USER_PROBLEM || variant !== 'auto' || flagValue(context.parsed, 'variants') !== undefined) {
    await obtainTrust(context, host, variant);
    await host.userKernels.prepare([variant], place);
    return;
  }
  for (const { id, base } of host.userKernels.list()) {
    if (base.workload !== place.workload || base.bench !== place.bench) continue;
    await obtainTrust(context, host, id);
    // Ignore compiler errors here, because the row of the kernel reports them.
    await host.userKernels.prepare([id], place).catch(() => undefined);
  }
}

interface ScenarioWithVariant {
  readonly kind: string;
  readonly solver: { readonly variant: string };
}

/** Checks the answer of a user kernel's run. Null for a built-in variant, which the tests check. */
export async function checkedUserKernel(
  { signal }: VerbContext,
  host: Host,
  reading: ScenarioReading,
  run: AnyRunData,
): Promise<UserKernelVerdict | null> {
  if (host.userKernels.find(run.variant) === null || run.status !== 'done') return null;
  return hostWorkloads[run.workload].userKernels.check(host.addon, reading, run, signal);
}

/** Notes on a user kernel: compiler options other than the defaults, and its output. Empty for a built-in variant. */
export function userKernelNotes(host: Host, id: string): readonly string[] {
  const kernel = host.userKernels.find(id);
  if (kernel === null) return [];
  const compiled = optionsText(kernel.description.compile);
  const { first, last, left_out } = host.userKernels.printedOutput(id);
  const gap = left_out === 0 ? '' : `\n… ${countText(left_out, 'character')} omitted …\n`;
  const text = `${first}${gap}${last}`.trimEnd();
  return [
    ...(compiled === '' ? [] : ['', `  Compiled with ${compiled}`]),
    ...(text === '' ? [] : ['', `  ${id} printed this during the measured time:`]),
    ...(text === '' ? [] : text.split('\n').map((line) => `  | ${line}`)),
  ];
}

/** Lines with the results of the checks, printed below the report of a run. */
export function verdictLines(
  { checks, right, doubtful }: UserKernelVerdict,
  style: (name: 'red' | 'green', text: string) => string,
): readonly string[] {
  const mark = (holds: boolean): string => (holds ? style('green', 'ok   ') : style('red', 'WRONG'));
  const last = doubtful ? '  The user kernel is not checked on this scenario: one check is undecided (above).' : null;
  const width = Math.max(...checks.map(({ title }) => title.length));
  return [
    ...checks.map(
      (check) =>
        `  ${check.title.padEnd(width)}  ${isOpenCheck(check) ? 'open ' : mark(check.holds)}  ${checkText(check)}`,
    ),
    last ??
      (right
        ? style('green', '  The user kernel is correct on this scenario.')
        : style('red', '  The user kernel is WRONG on this scenario.')),
  ];
}
