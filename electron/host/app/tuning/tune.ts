/** A go at a study with a search: which point is next, until all are measured or the budget is used up. */
import path from 'node:path';
import type { Session } from '../../../contract/bench/session.ts';
import type { PlanLine, PointResult } from '../../../contract/study/index.ts';
import { writeAtomically } from '../../io/files/write-file.ts';
import { sessionText } from '../../model/bench/index.ts';
import { type Measure, search } from '../../model/tuning/search.ts';
import { readRows } from '../studies/collect.ts';
import type { LocalOptions } from '../studies/local/engine.ts';
import type { StudyOutcome } from '../studies/local/go.ts';
import { watchedGo } from '../studies/local/go.ts';
import { Evaluator, type Search } from './evaluator.ts';
import { candidatesIn, timeOf, variantOf } from './lines.ts';

/** Session of the best configurations, next to the plan. */
export const BEST_FILE = 'best.json';

/** A budget, a stop or a cancel. */
class Ended extends Error {}

interface TuneOptions extends Omit<LocalOptions, 'share' | 'lines'> {
  readonly search: Search;
  /** Points that failed are tried again. */
  readonly retry: boolean;
  /** External strategy that replaces ours; gets every point that it may request. */
  readonly steer?: (lines: readonly PlanLine[], measure: Steered) => Promise<void>;
  readonly onMeasured?: (result: PointResult) => void;
}

/** Null if no more points are measured. */
export type Steered = (line: PlanLine) => Promise<PointResult | null>;

export interface TuneOutcome extends StudyOutcome {
  /** Null if no configuration was correct, or none were requested. */
  readonly best: Session | null;
}

/** The fastest that are right, the best first. */
function bestOf(results: readonly PointResult[], count: number): readonly PointResult[] {
  return results
    .flatMap((result) => {
      const time = timeOf(result);
      return time === null ? [] : [{ result, time }];
    })
    .toSorted((a, b) => a.time - b.time)
    .slice(0, count)
    .map(({ result }) => result);
}

/** Throws what no point could be measured for, such as a full disk: the points that have ended stay. */
export async function tuneLocally(options: TuneOptions): Promise<TuneOutcome> {
  const { folder, retry, steer, onMeasured } = options;
  const lines = await folder.lines();
  const byId = new Map(lines.map((line) => [line.id, line]));
  const known = new Map((await readRows(folder)).rows.map(({ line, result }) => [line.id, result]));
  for (const [id, result] of known) if (retry && result.status === 'failed') known.delete(id);
  const left = lines.length - known.size;
  return watchedGo({ ...options, left }, async (go) => {
    const evaluator = new Evaluator({ ...options, head: folder.head, study: folder.study, signal: go.signal });
    const measure: Steered = async (line) => {
      const before = known.get(line.id);
      if (before !== undefined) return before;
      if (!go.mayBegin()) return null;
      const result = await evaluator.evaluate(line);
      if (result === null) return null;
      await folder.write(result);
      known.set(line.id, result);
      go.ended(result.status);
      onMeasured?.(result);
      return result;
    };
    try {
      if (steer !== undefined) await steer(lines, measure);
      else {
        const candidates = candidatesIn(folder.head, lines);
        const usual = await evaluator.usualOf(lines);
        const measured: Measure = async ({ id }, next) => {
          const line = byId.get(id);
          if (line === undefined) throw new Ended();
          const open = next.flatMap((one) => (known.has(one.id) ? [] : (byId.get(one.id) ?? [])));
          if (!known.has(id) && go.mayBegin()) await evaluator.compileAhead(line, open.slice(0, go.mostMore() - 1));
          const result = await measure(line);
          if (result === null) throw new Ended();
          return timeOf(result);
        };
        const starts = candidates.filter(({ id }) => {
          const line = byId.get(id);
          return line !== undefined && usual.includes(variantOf(folder.head, line));
        });
        await search(options.search.strategy, candidates, folder.study.seed, measured, starts);
      }
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
    }
    const best = bestOf([...known.values()], options.search.best).flatMap(({ id }) => byId.get(id) ?? []);
    if (best.length === 0 || go.signal.aborted) return { best: null };
    const session = await evaluator.best(best);
    await writeAtomically(path.join(folder.folder, BEST_FILE), sessionText(session), 'replace');
    return { best: session };
  });
}
