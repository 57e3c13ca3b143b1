/** The checks that every variant is put to, on a run of a user kernel: parity, conservation, determinism. */

import type { Precision } from '../../../contract/run.ts';
import { type UserKernelVerdict, userKernelVerdict } from '../../../contract/user-kernels/verdict.ts';
import type { NativeAddon, TransportProblem, TransportResult } from '../../io/addon/addon.ts';
import { measure } from '../../model/bench/measure.ts';
import { oracleFor } from '../../model/bench/oracle.ts';
import { Determinism, parityLimit, relativeL2 } from '../../model/bench/parity.ts';
import { doseError, ledgerError, ledgerErrorOf } from './accuracy.ts';

/** The first result and one more. */
const REPEATS = 2;

type Checked = Pick<TransportResult, 'dose' | 'ledger_number' | 'ledger_energy'>;

function verdictOn(results: readonly Checked[], oracle: Float64Array | null, precision: Precision): UserKernelVerdict {
  const determinism = new Determinism();
  for (const { dose } of results) determinism.add(dose);
  // The worst of them: one that is wrong now and then is wrong. NaN is the worst.
  const worst = (of: (one: Checked) => number): number => Math.max(...results.map(of));
  const rel_l2 = oracle === null ? null : worst(({ dose }) => relativeL2(dose, oracle));
  return userKernelVerdict(
    [doseError(rel_l2, parityLimit[precision]), ledgerError(worst(ledgerErrorOf), precision)],
    determinism.report(),
  );
}

/** Runs it once more, and the FP64 reference. Throws a BraggError. */
export async function checkTransport(
  addon: NativeAddon,
  problem: TransportProblem,
  first: Checked,
  signal?: AbortSignal,
): Promise<UserKernelVerdict> {
  const quiet: TransportProblem = { ...problem, keyframes: 0 };
  const results: Checked[] = [first];
  while (results.length < REPEATS) results.push((await measure(addon, quiet, signal)).result);
  const { oracle } = await oracleFor(addon, quiet, signal);
  return verdictOn(results, oracle?.dose ?? null, problem.solver.precision);
}
