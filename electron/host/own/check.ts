/** The checks that every variant is put to, on a run of an own one: parity, conservation, determinism. */
import { holds, ledgerLimit, type OwnVerdict } from '../../contract/own.ts';
import type { Precision } from '../../contract/run.ts';
import type { NativeAddon, TransportProblem, TransportResult } from '../addon.ts';
import { ledgerError } from '../bench/entry.ts';
import { measure } from '../bench/measure.ts';
import { oracleFor } from '../bench/oracle.ts';
import { Determinism, parityLimit, relativeL2 } from '../bench/parity.ts';

/** The first result and one more. */
const REPEATS = 2;

type Checked = Pick<TransportResult, 'dose' | 'ledger_number' | 'ledger_energy'>;

export function verdictOn(results: readonly Checked[], oracle: Float64Array | null, precision: Precision): OwnVerdict {
  const determinism = new Determinism();
  for (const { dose } of results) determinism.add(dose);
  const { bitwise, spread, runs } = determinism.report();
  const [rel_l2_limit, ledger_limit] = [parityLimit[precision], ledgerLimit[precision]];
  // The worst of them: one that is wrong now and then is wrong.
  const rel_l2 = oracle === null ? null : Math.max(...results.map(({ dose }) => finite(relativeL2(dose, oracle))));
  const ledger_error = Math.max(...results.map((one) => finite(ledgerError(one))));
  const checks = { rel_l2, rel_l2_limit, ledger_error, ledger_limit, bitwise, spread, repeats: runs };
  return { ...checks, right: holds(checks) };
}

/** JSON carries neither, and both are as wrong as can be. */
const finite = (value: number): number => (Number.isFinite(value) ? value : Number.MAX_VALUE);

/** Runs it once more, and the FP64 reference. Throws a BraggError. */
export async function checkOwn(
  addon: NativeAddon,
  problem: TransportProblem,
  first: Checked,
  signal?: AbortSignal,
): Promise<OwnVerdict> {
  const quiet: TransportProblem = { ...problem, keyframes: 0 };
  const results: Checked[] = [first];
  while (results.length < REPEATS) results.push((await measure(addon, quiet, signal)).result);
  const { oracle } = await oracleFor(addon, quiet, signal);
  return verdictOn(results, oracle?.dose ?? null, problem.solver.precision);
}
