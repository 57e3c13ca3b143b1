/** Own variants on the command line: files named where a variant is, and the user's word that they trust them. */

import { basename, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { BraggError } from '../contract/errors.ts';
import type { OwnVerdict } from '../contract/own.ts';
import type { Host } from '../host/index.ts';
import { type FlagSpec, flagNumber, hasFlag } from './arguments.ts';
import type { VerbContext } from './verb.ts';

export const ownFlags: readonly FlagSpec[] = [
  {
    name: 'trust',
    help: 'You trust the own variants that are named, as they are now: they are code that runs with your rights.',
  },
  {
    name: 'limit',
    value: 'SECONDS',
    help: 'Most seconds that one run of an own variant may take (120).',
  },
];

/** `./my.cu@fp64` to the file and what follows it. A drive letter's colon is no device. */
const fileForm = /^(.+\.(?:cu|cpp))((?:@[^:]*)?(?::\d{1,3})?)$/;

async function ask(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(question)).trim());
  } finally {
    lines.close();
  }
}

async function obtainTrust({ parsed, terminal }: VerbContext, host: Host, file: string): Promise<void> {
  const own = host.own.find(basename(file));
  if (own === null || host.own.isTrusted(own)) return;
  const { description, id, sha256 } = own;
  if (!hasFlag(parsed, 'trust')) {
    const what = `${own.file} takes the place of ${description.replaces} in ${description.base}. It is code that runs with your rights.`;
    if (process.stdin.isTTY !== true || !terminal.isLive) {
      throw new BraggError('untrusted', `${what} It does not run before you say that you trust it: --trust`);
    }
    terminal.say(what);
    if (!(await ask(`Do you trust ${id}, SHA-256 ${sha256.slice(0, 16)}…? [y/N] `))) {
      throw new BraggError('untrusted', `${id} is not trusted and does not run.`);
    }
  }
  await host.trust.add(sha256, own.file);
}

/**
 * The names of variants, with those of own ones instead of their paths. The own
 * ones are known to the host then, and trusted. Throws a BraggError.
 */
export async function openOwn(context: VerbContext, host: Host, names: readonly string[]): Promise<readonly string[]> {
  const limit_s = flagNumber(context.parsed, 'limit', { min: 0.1, max: 86_400 });
  if (limit_s !== undefined) host.own.limit_s = limit_s;
  const ids: string[] = [];
  for (const name of names) {
    const [, file, rest = ''] = fileForm.exec(name) ?? [];
    if (file === undefined) {
      ids.push(name);
      continue;
    }
    const { id } = await host.own.open(resolve(file));
    await obtainTrust(context, host, file);
    ids.push(id + rest);
  }
  // A run's time holds no compiler.
  await host.own.prepare(ids);
  return ids;
}

/** The scenario itself may name one that lies beside it. */
export async function trustNamed(context: VerbContext, host: Host, variant: string | undefined): Promise<void> {
  if (variant === undefined) return;
  await obtainTrust(context, host, variant);
  await host.own.prepare([variant]);
}

/** The checks as lines below a run's report. */
export function verdictLines(
  verdict: OwnVerdict,
  style: (name: 'red' | 'green', text: string) => string,
): readonly string[] {
  const { rel_l2, rel_l2_limit, ledger_error, ledger_limit, bitwise, spread, repeats, right } = verdict;
  const mark = (holds: boolean): string => (holds ? style('green', 'ok   ') : style('red', 'WRONG'));
  const e = (value: number): string => (value === Number.MAX_VALUE ? 'not a number' : value.toExponential(1));
  const parity =
    rel_l2 === null ? 'no FP64 reference fits' : `relL2 ${e(rel_l2)} against FP64, allowed ${e(rel_l2_limit)}`;
  return [
    `  Parity        ${mark(rel_l2 !== null && rel_l2 <= rel_l2_limit)}  ${parity}`,
    `  Conservation  ${mark(ledger_error <= ledger_limit)}  ledger ${e(ledger_error)}, allowed ${e(ledger_limit)}`,
    `  Determinism   ${mark(spread <= rel_l2_limit)}  ${repeats} runs: ${bitwise ? 'the same bits' : `they differ by ${e(spread)} of the largest dose`}`,
    right
      ? style('green', '  The own variant is right on this scenario.')
      : style('red', '  The own variant is WRONG on this scenario.'),
  ];
}
