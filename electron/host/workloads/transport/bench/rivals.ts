/** Other programs as rows of a benchmark's report: timed after the rounds, held to the same FP64 reference. */
import type { SessionExternal } from '../../../../contract/bench/session.ts';
import { BraggError } from '../../../../contract/errors.ts';
import type { NativeAddon, TransportProblem } from '../../../io/addon/addon.ts';
import type { RivalContext } from '../../../model/bench/arena.ts';
import { parityLimit, relativeL2, type Values } from '../../../model/bench/parity.ts';
import { median, relativeSpread } from '../../../model/bench/statistics.ts';
import type { Baseline } from '../../../model/external/registry.ts';
import { type ExternalAnswer, runExternal } from '../../../model/external/run.ts';
import { cellSteps, doseError, ledgerError } from '../accuracy.ts';

/** Another program's runs: its first compiles. */
export const externalRuns = { warmups: 1, repeats: 5, timeout_s: 300 } as const;

export interface RivalOptions {
  readonly addon: NativeAddon;
  readonly folder: string;
  readonly baselines: readonly Baseline[];
  readonly scenario: unknown;
  readonly warmups: number;
  readonly repeats: number;
  readonly timeout_s: number;
  readonly signal?: AbortSignal | undefined;
}

export type Rivals = (
  problem: TransportProblem,
  oracleDose: Values | null,
  context: RivalContext,
) => Promise<readonly SessionExternal[]>;

function resultOf(answer: ExternalAnswer, oracleDose: Values | null): NonNullable<SessionExternal['result']> {
  const timed = answer.runs.filter(({ warmup }) => !warmup);
  const times = timed.map(({ device_s, wall_s }) => device_s ?? wall_s);
  const time_s = median(times);
  const { device, precision, versions, steps, cell_steps, ledger, tables_s, solver_setup_s } = answer;
  const parity = doseError(oracleDose === null ? null : relativeL2(answer.dose, oracleDose), parityLimit[precision]);
  return {
    ...{ device, precision, versions, time_s, times },
    wall_s: median(timed.map(({ wall_s }) => wall_s)),
    spread: relativeSpread(times),
    setup_s: tables_s + median(solver_setup_s),
    size: steps === 0 ? null : cell_steps / steps,
    wrong: !parity.holds,
    accuracy: [parity, ledgerError(Math.max(ledger.number_error, ledger.energy_error), precision)],
    quantities: [cellSteps(cell_steps / time_s), { id: 'steps', title: 'Steps taken', value: steps, unit: '' }],
  };
}

/** Runs them one after the other: the device is theirs alone then. */
export function rivals(options: RivalOptions): Rivals {
  return async (asked, oracleDose, { tell }) => {
    const solver = { ...asked.solver, stepping: 'path' as const };
    const problem = { ...asked, solver };
    const { steps_max } = options.addon.createTransport({ ...problem, solver: { ...solver, variant: 'auto' } }).plan;
    const out: SessionExternal[] = [];
    for (const baseline of options.baselines) {
      tell(baseline.id);
      const { id, title, language } = baseline;
      try {
        const answer = await runExternal({ ...options, baseline, problem, stepsMax: steps_max });
        out.push({ id, title, language, reason: null, result: resultOf(answer, oracleDose) });
      } catch (error) {
        if (!(error instanceof BraggError)) throw error;
        out.push({ id, title, language, reason: error.message, result: null });
      }
    }
    return out;
  };
}
