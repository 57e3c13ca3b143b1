/** Other programs as rows of a benchmark's report: timed after the rounds, held to the same FP64 reference. */
import type { ExternalEntry, MeasuredEntry } from '../../../contract/bench/bench.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { RivalContext } from '../bench/benchmark.ts';
import { timeOf } from '../bench/measure.ts';
import { parityLimit, relativeL2 } from '../bench/parity.ts';
import { median, relativeSpread, unpairedRatioInterval } from '../bench/statistics.ts';
import type { Baseline } from './registry.ts';
import { type ExternalAnswer, runExternal } from './run.ts';

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
  readonly signal?: AbortSignal;
}

function rightEntries(context: RivalContext): readonly MeasuredEntry[] {
  return context.entries.filter(
    (entry): entry is MeasuredEntry => entry.status === 'measured' && entry.verdict !== 'wrong',
  );
}

function resultOf(answer: ExternalAnswer, context: RivalContext): NonNullable<ExternalEntry['result']> {
  const timed = answer.runs.filter(({ warmup }) => !warmup);
  const times = timed.map(({ device_s, wall_s }) => device_s ?? wall_s);
  const over = (entry: MeasuredEntry | undefined) => {
    const references = entry?.samples.map(timeOf) ?? [];
    const value = median(times) / median(references);
    return { value, interval: unpairedRatioInterval(times, references, context.seed) };
  };
  const right = rightEntries(context);
  const fastest = right.reduce<MeasuredEntry | undefined>(
    (best, entry) => (best === undefined || entry.time_s < best.time_s ? entry : best),
    undefined,
  );
  const rel_l2 = context.oracleDose === null ? null : relativeL2(answer.dose, context.oracleDose);
  const limit = parityLimit[answer.precision];
  return {
    device: answer.device,
    precision: answer.precision,
    versions: answer.versions,
    time_s: median(times),
    wall_s: median(timed.map(({ wall_s }) => wall_s)),
    spread: relativeSpread(times),
    setup_s: answer.tables_s + median(answer.solver_setup_s),
    ratio: over(right.find(({ label }) => label === context.reference)),
    over_fastest: fastest === undefined ? null : { variant: fastest.label, ratio: over(fastest) },
    steps: answer.steps,
    cell_steps: answer.cell_steps,
    rel_l2,
    rel_l2_limit: limit,
    wrong: rel_l2 !== null && !(rel_l2 <= limit),
    ledger_error: Math.max(answer.ledger.number_error, answer.ledger.energy_error),
    samples: timed.map(({ device_s, wall_s }) => ({ device_s, wall_s })),
  };
}

/** Runs them one after the other: the device is theirs alone then. */
export function rivals(options: RivalOptions): (context: RivalContext) => Promise<readonly ExternalEntry[]> {
  return async (context) => {
    const solver = { ...context.problem.solver, stepping: 'path' as const };
    const problem = { ...context.problem, solver };
    const { steps_max } = options.addon.createTransport({ ...problem, solver: { ...solver, variant: 'auto' } }).plan;
    const out: ExternalEntry[] = [];
    for (const baseline of options.baselines) {
      context.tell(baseline.id);
      const { id, title, language } = baseline;
      try {
        const answer = await runExternal({ ...options, baseline, problem, stepsMax: steps_max });
        out.push({ id, title, language, reason: null, result: resultOf(answer, context) });
      } catch (error) {
        if (!(error instanceof BraggError)) throw error;
        out.push({ id, title, language, reason: error.message, result: null });
      }
    }
    return out;
  };
}
