/** User kernels on the command line: files named where a variant is, and the user's word that they trust them. */

import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { BraggError } from '../contract/errors.ts';
import { USER_PROBLEM } from '../contract/scenario/user-problem/index.ts';
import { parseConfigured, withoutSuffix } from '../contract/tuning/configured.ts';
import { countText } from '../contract/units.ts';
import { optionsText } from '../contract/user-kernels/options.ts';
import { checkText, type UserKernelVerdict } from '../contract/user-kernels/verdict.ts';
import { isUserKernelId } from '../contract/user-kernels.ts';
import { type BenchKind, placeOf } from '../host/app/user-kernels/user-kernels.ts';
import type { Host } from '../host/index.ts';
import { hostWorkloads } from '../host/workloads/index.ts';
import type { AnyRunData } from '../host/workloads/run-data.ts';
import type { AnyReading } from '../host/workloads/scenarios/index.ts';
import { type FlagSpec, flagNumber, flagValue, hasFlag, listed } from './arguments.ts';
import { ask, canAsk } from './ask.ts';
import type { VerbContext } from './verb.ts';

export const userKernelFlags: readonly FlagSpec[] = [
  {
    name: 'trust',
    help: 'You trust the user kernels that are named, as they are now: they are code that runs with your rights.',
  },
  {
    name: 'limit',
    value: 'SECONDS',
    help: 'Most seconds that one run of a user kernel may take (120).',
  },
];

/** `./my.cu@fp64` to the file and what follows it. A drive letter's colon is no device. */
const fileForm = /^(.+\.(?:cu|cpp|py))((?:\[[\w=;-]+\])?(?:@[^:]*)?(?::\d{1,3})?)$/;

export async function obtainTrust({ parsed, terminal }: VerbContext, host: Host, file: string): Promise<void> {
  const kernel = host.userKernels.find(basename(file));
  if (kernel === null || host.userKernels.isTrusted(kernel)) return;
  const { description, id, sha256 } = kernel;
  if (!hasFlag(parsed, 'trust')) {
    const answer = description.answer === '' ? '' : ` ${description.answer}, which gives its answer, runs too.`;
    const what = `${kernel.file} takes the place of ${description.replaces} in ${description.base}.${answer} It is code that runs with your rights.`;
    if (!canAsk(terminal)) {
      throw new BraggError('untrusted', `${what} It does not run before you say that you trust it: --trust`);
    }
    terminal.say(what);
    if (!(await ask(`Do you trust ${id}, SHA-256 ${sha256.slice(0, 16)}…? [y/N] `))) {
      throw new BraggError('untrusted', `${id} is not trusted and does not run.`);
    }
  }
  await host.trust.add(sha256, kernel.file);
}

/** A variant with other constants, which may be of a user kernel that is known by now. */
async function discoverConfigured(host: Host, label: string, place: BenchKind): Promise<void> {
  const id = withoutSuffix(label);
  if (parseConfigured(id) !== null) await host.userKernels.discover([], id, place);
}

/**
 * The names of variants, with those of user kernels instead of their paths. The own
 * ones are known to the host then, and trusted. Throws a BraggError, also for one
 * that is of another workload than the scenario.
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
    const [, file, rest = ''] = fileForm.exec(name) ?? [];
    if (file === undefined) {
      ids.push(name);
    } else {
      // A candidate of the problem is known by its name, wherever this is called from.
      const known = existsSync(resolve(file)) ? null : host.userKernels.find(file);
      const { id } = known ?? (await host.userKernels.open(resolve(file)));
      host.userKernels.requireFit(id, place);
      await obtainTrust(context, host, file);
      ids.push(id + rest);
    }
    await discoverConfigured(host, ids.at(-1) ?? name, place);
  }
  // A run's time holds no compiler.
  await host.userKernels.prepare(ids, place);
  return ids;
}

/** Those of --variants, null without it. */
export async function openNamed(context: VerbContext, host: Host, place: BenchKind): Promise<readonly string[] | null> {
  const named = listed(context.parsed, 'variants');
  return named === null ? null : openUserKernels(context, host, named, place);
}

/** Ids of those that can run here: candidates of a problem, else those of the program, as user kernels must be named. */
export function ours(
  all: readonly { readonly id: string; readonly workload: string; readonly available: boolean }[],
): readonly string[] {
  return all
    .filter(({ id, workload, available }) => available && (workload === USER_PROBLEM || !isUserKernelId(id)))
    .map(({ id }) => id);
}

/** That of --variant, made known and trusted; undefined where the scenario's own is run. */
export async function openVariant(context: VerbContext, host: Host, place: BenchKind): Promise<string | undefined> {
  const named = flagValue(context.parsed, 'variant');
  const [variant] = await openUserKernels(context, host, named === undefined ? [] : [named], place);
  return variant;
}

/**
 * Obtains trust for the user kernel that the scenario itself names; for `auto` in a user problem, for each kernel that
 * fits.
 */
export async function trustNamed(context: VerbContext, host: Host, scenario: NamingScenario): Promise<void> {
  const { variant } = scenario.solver;
  const place = placeOf(scenario);
  if (scenario.kind !== USER_PROBLEM || variant !== 'auto' || flagValue(context.parsed, 'variants') !== undefined) {
    await obtainTrust(context, host, variant);
    await host.userKernels.prepare([variant], place);
    return;
  }
  for (const { id, base } of host.userKernels.list()) {
    if (base.workload !== place.workload || base.bench !== place.bench) continue;
    await obtainTrust(context, host, id);
    // One that does not compile is refused in its row.
    await host.userKernels.prepare([id], place).catch(() => undefined);
  }
}

interface NamingScenario {
  readonly kind: string;
  readonly solver: { readonly variant: string };
}

/** The checks that ours are put to, of a run by a user kernel; null of one of ours, whose tests see to it. */
export async function checkedUserKernel(
  { signal }: VerbContext,
  host: Host,
  reading: AnyReading,
  run: AnyRunData,
): Promise<UserKernelVerdict | null> {
  if (host.userKernels.find(run.variant) === null || run.status !== 'done') return null;
  return hostWorkloads[run.workload].userKernels.check(host.addon, reading, run, signal);
}

/** Compile options of a user kernel, if they differ from ours, and its output; empty for a shipped kernel. */
export function saidBy(host: Host, id: string): readonly string[] {
  const kernel = host.userKernels.find(id);
  if (kernel === null) return [];
  const compiled = optionsText(kernel.description.compile);
  const { first, last, left_out } = host.userKernels.printed(id);
  const gap = left_out === 0 ? '' : `\n… ${countText(left_out, 'character')} left out …\n`;
  const text = `${first}${gap}${last}`.trimEnd();
  return [
    ...(compiled === '' ? [] : ['', `  Compiled with ${compiled}`]),
    ...(text === '' ? [] : ['', `  ${id} printed, in the time that was measured:`]),
    ...(text === '' ? [] : text.split('\n').map((line) => `  | ${line}`)),
  ];
}

/** The checks as lines below a run's report. */
export function verdictLines(
  { checks, right }: UserKernelVerdict,
  style: (name: 'red' | 'green', text: string) => string,
): readonly string[] {
  const mark = (holds: boolean): string => (holds ? style('green', 'ok   ') : style('red', 'WRONG'));
  const width = Math.max(...checks.map(({ title }) => title.length));
  return [
    ...checks.map((check) => `  ${check.title.padEnd(width)}  ${mark(check.holds)}  ${checkText(check)}`),
    right
      ? style('green', '  The user kernel is correct on this scenario.')
      : style('red', '  The user kernel is WRONG on this scenario.'),
  ];
}
