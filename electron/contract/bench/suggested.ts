/** The variants that a benchmark measures where nobody names them: those that fit into its time. */
import type { ExpectedTime } from './benches.ts';

/** Each variant's first run, the fewest rounds that give a verdict, and as many processes. */
const RUNS_OF_EACH = 1 + 5 + 5;
/** The control of each. */
const FURTHER_OF_REFERENCE = 5 + 5;

/** Seconds that a session of these variants needs at least, the reference first. */
export function leastSession_s(runs_s: readonly number[]): number {
  const [reference = 0] = runs_s;
  return RUNS_OF_EACH * runs_s.reduce((sum, one) => sum + one, 0) + FURTHER_OF_REFERENCE * reference;
}

/** Every correct variant whose time is known, the quick ones first while all of them fit into `budget_s`; in the given order. */
export function suggestedVariants(
  variants: readonly { readonly id: string; readonly available: boolean }[],
  times: ReadonlyMap<string, ExpectedTime>,
  budget_s: number,
): readonly string[] {
  const known = variants.flatMap(({ id, available }) => {
    const time = times.get(id);
    return available && time?.right === true && time.run_s !== null ? [{ id, run_s: time.run_s }] : [];
  });
  const inOrder = (ids: ReadonlySet<string>) => known.filter(({ id }) => ids.has(id));
  const chosen = new Set<string>();
  for (const { id } of [...known].sort((a, b) => a.run_s - b.run_s)) {
    const further = inOrder(new Set([...chosen, id])).map(({ run_s }) => run_s);
    if (leastSession_s(further) <= budget_s) chosen.add(id);
  }
  return inOrder(chosen).map(({ id }) => id);
}
