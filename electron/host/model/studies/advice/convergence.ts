/** Convergence of an answer with the grid's steps: order, limit, and the coarsest grid that is accurate enough. */
import { formatPath } from '../../../../contract/scenario/index.ts';
import type { StudyAdvice } from '../../../../contract/study/calls.ts';
import type { PlanHead } from '../../../../contract/study/index.ts';
import { canonical } from '../points.ts';
import type { Solved } from './contests.ts';

interface Sized {
  /** Steps over those of the finest grid, by path. */
  readonly factors: ReadonlyMap<string, number>;
  readonly rest: string;
  readonly solved: Solved;
}

interface Fit {
  /** The answer's error falls as step^order; null where its changes do not shrink evenly. */
  readonly order: number | null;
  /** Extrapolated limit; without an order, the finest answer. */
  readonly limit: number;
  /** By the factor of the steps: how far the answer is from the limit, at most. */
  readonly errors: ReadonlyMap<number, number>;
}

/** Orders outside of these are no orders of a scheme. */
const [LEAST_ORDER, MOST_ORDER] = [0.3, 5];
const near = (a: number, b: number): boolean => Math.abs(a / b - 1) < 1e-6;

/** From the three finest grids, each of `ratio` times the steps of the next. */
export function fitOf(answers: ReadonlyMap<number, number>): Fit | null {
  const factors = [...answers.keys()].toSorted((a, b) => a - b);
  const [h1, h2, h3] = factors;
  if (h1 === undefined || h2 === undefined || h3 === undefined || !near(h2 / h1, h3 / h2)) return null;
  const [f1 = 0, f2 = 0, f3 = 0] = [h1, h2, h3].map((h) => answers.get(h));
  const shrink = (f3 - f2) / (f2 - f1);
  const fitted = shrink > 0 ? Math.log(shrink) / Math.log(h2 / h1) : Number.NaN;
  const order = fitted >= LEAST_ORDER && fitted <= MOST_ORDER ? fitted : null;
  const limit = order === null ? f1 : f1 - (f2 - f1) / ((h2 / h1) ** order - 1);
  // Without an order nobody knows how far the finest is off: its last change stands for that.
  const doubt = order === null ? Math.abs(f2 - f1) : 0;
  const errors = new Map(factors.map((h) => [h, Math.abs((answers.get(h) ?? Number.NaN) - limit) + doubt]));
  return { order, limit, errors };
}

function sizedOf(
  head: PlanHead,
  rows: readonly Solved[],
): { readonly paths: readonly string[]; readonly all: readonly Sized[] } {
  const { reference = {} } = head.study as { readonly reference?: Readonly<Record<string, unknown>> };
  const steps = Object.entries(reference).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  const paths = steps.map(([path]) => path);
  const all = rows.flatMap((solved): readonly Sized[] => {
    const { line, result } = solved;
    if (result.status !== 'done') return [];
    const named = new Map(line.settings.map(({ path, value }) => [formatPath(path), value]));
    const factors = new Map(
      steps.flatMap(([path, finest]) => {
        const value = named.get(path);
        return typeof value === 'number' ? [[path, Number((value / finest).toPrecision(6))] as const] : [];
      }),
    );
    if (factors.size !== paths.length) return [];
    const rest = canonical([line.base, [...named].filter(([name]) => !(name in reference))]);
    return [{ factors, rest, solved }];
  });
  return { paths, all };
}

const number = (value: number): string => String(Number(value.toPrecision(3)));
const readoutOf = ({ solved }: Sized, name: string): number | null => {
  const found = solved.result.measures.find((one) => one.group === 'readouts' && one.name === name)?.value;
  return typeof found === 'number' ? found : null;
};

/** Readouts in millimetres that every grid has. */
function lengths(all: readonly Sized[]): readonly string[] {
  const [first] = all;
  return (first?.solved.result.measures ?? [])
    .filter(({ group, unit, name }) => group === 'readouts' && unit === 'mm' && name !== 'resolution_mm')
    .map(({ name }) => name)
    .filter((name) => all.every((one) => readoutOf(one, name) !== null));
}

/** Coarsest grid from which on all are near enough; null: none is. */
function coarsest({ errors }: Fit, asked: number): number | null {
  let found: number | null = null;
  for (const [factor, error] of [...errors].toSorted(([a], [b]) => a - b)) {
    if (error > asked) break;
    found = factor;
  }
  return found;
}

function gridText(sized: Sized): string {
  return sized.solved.line.settings
    .filter(({ path }) => sized.factors.has(formatPath(path)))
    .map(({ path, value }) => `${formatPath(path)} = ${String(value)}`)
    .join(', ');
}

/** Effect of halving each step alone, starting from a grid for which all these halvings were solved. */
function stepEvidence(paths: readonly string[], all: readonly Sized[], name: string): readonly string[] {
  const base = all.find(({ factors }) =>
    paths.every((path) =>
      all.some((other) =>
        paths.every((p) => near(other.factors.get(p) ?? 0, (factors.get(p) ?? 1) * (p === path ? 0.5 : 1))),
      ),
    ),
  );
  if (base === undefined) return [];
  const changes = paths.map((path) => {
    const halved = all.find(({ factors }) =>
      paths.every((p) => near(factors.get(p) ?? 0, (base.factors.get(p) ?? 1) * (p === path ? 0.5 : 1))),
    );
    return { path, change: (halved === undefined ? 0 : (readoutOf(halved, name) ?? 0)) - (readoutOf(base, name) ?? 0) };
  });
  const sorted = changes.toSorted((a, b) => Math.abs(b.change) - Math.abs(a.change));
  return [
    `halving one step alone changes it by ${sorted.map(({ path, change }) => `${number(change)} mm (${path})`).join(', ')}`,
  ];
}

/** `asked_mm`: an error that is near enough. Empty where the study is no refinement of a grid. */
export function convergenceAdvice(head: PlanHead, rows: readonly Solved[], asked_mm: number): readonly StudyAdvice[] {
  const { paths, all } = sizedOf(head, rows);
  if (paths.length === 0) return [];
  const together = ({ factors }: Sized): boolean => new Set(factors.values()).size === 1;
  return [...Map.groupBy(all, ({ rest }) => rest).values()].flatMap((mine) => {
    const grids = mine.filter(together);
    return lengths(mine).flatMap((name): readonly StudyAdvice[] => {
      const answers = new Map(
        grids.map((one) => [[...one.factors.values()][0] ?? 1, readoutOf(one, name) ?? Number.NaN]),
      );
      const fit = fitOf(answers);
      if (fit === null) return [];
      const factor = coarsest(fit, asked_mm);
      const grid = grids.find((one) => [...one.factors.values()][0] === factor);
      const goal = `${name} to ${number(asked_mm)} mm`;
      return [
        {
          text:
            grid === undefined
              ? `${goal}: no grid of this study is fine enough.`
              : `${goal}: ${gridText(grid)} is fine enough.`,
          evidence: [
            fit.order === null
              ? `its changes do not shrink evenly: no order; errors are told against the finest grid, with its last change added`
              : `order ${Number(fit.order.toPrecision(2))}, tends to ${Number(fit.limit.toPrecision(7))} mm`,
            `errors: ${[...fit.errors]
              .toSorted(([a], [b]) => a - b)
              .map(([h, error]) => `${number(error)} mm at ${number(h)}× the finest steps`)
              .join(', ')}`,
            ...stepEvidence(paths, mine, name),
          ],
        },
      ];
    });
  });
}
