/** Evaluates the formulas of a user problem for given axis sizes. */
import { type Expression, ExpressionError, parseExpression } from '../../../domain/values/expression.ts';
import type { Path } from '../../../domain/values/path.ts';
import { type FieldIssue, fieldIssue, missingIssue } from '../field-issue.ts';
import type { Formula, ProblemArray, ProblemCandidate, ProblemDefinition, ProblemType } from './index.ts';
import { MAX_AXIS_SIZE } from './index.ts';

export type Sizes = Readonly<Record<string, number>>;

/** Array with its formulas evaluated. */
interface ResolvedArray {
  readonly name: string;
  readonly role: ProblemArray['role'];
  readonly type: ProblemType;
  readonly shape: readonly number[];
  /** Length of the blocks that checks for cached results may permute, in elements; 0 if the order of elements matters. */
  readonly grain: number;
  readonly fill: string;
  readonly a: number;
  readonly b: number;
  readonly diagonal: number;
  readonly absolute: number;
  readonly relative: number;
  /** Default error bound as a fraction of the largest expected value; 0 if there is none. */
  readonly largest: number;
}

export interface ResolvedProblem {
  readonly arrays: readonly ResolvedArray[];
  readonly bytes: number;
  readonly flops: number | null;
  readonly faults: readonly FieldIssue[];
}

/** Unit roundoff of each type: half the distance from 1 to the next number. 0 for exact types. */
const unitRoundoff: Readonly<Record<ProblemType, number>> = {
  fp64: 2 ** -53,
  fp32: 2 ** -24,
  tf32: 2 ** -11,
  fp16: 2 ** -11,
  bf16: 2 ** -8,
  complex64: 2 ** -24,
  complex128: 2 ** -53,
  int32: 0,
  int8: 0,
  bool: 0,
};

const bytesPerElement: Readonly<Record<ProblemType, number>> = {
  fp64: 8,
  fp32: 4,
  tf32: 4,
  fp16: 2,
  bf16: 2,
  int32: 4,
  int8: 1,
  bool: 1,
  complex64: 8,
  complex128: 16,
};

const isExactType = (type: ProblemType): boolean => unitRoundoff[type] === 0;

/** Smallest and largest value of the integer types. */
const integerRanges: Readonly<Partial<Record<ProblemType, readonly [number, number]>>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int8: [-128, 127],
  bool: [0, 1],
};

const parsedExpressions = new Map<string, Expression>();

function cachedExpression(text: string): Expression {
  const known = parsedExpressions.get(text);
  if (known !== undefined) return known;
  const made = parseExpression(text);
  if (parsedExpressions.size > 10_000) parsedExpressions.clear();
  parsedExpressions.set(text, made);
  return made;
}

class Resolver {
  readonly faults: FieldIssue[] = [];
  readonly #sizes: Sizes;
  readonly #names: string;

  constructor(sizes: Sizes, names: readonly string[]) {
    this.#sizes = sizes;
    this.#names = `a number, or a formula of ${names.join(', ') || 'numbers'}`;
  }

  number(formula: Formula, path: Path): number {
    if (typeof formula === 'number') return formula;
    try {
      const value = cachedExpression(formula).evaluate(this.#sizes);
      if (typeof value === 'number' && Number.isFinite(value)) return value;
      this.faults.push(fieldIssue(path, formula, `is ${String(value)} at these sizes`, this.#names));
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      this.faults.push(fieldIssue(path, formula, `cannot be computed: ${error.message}`, this.#names));
    }
    return Number.NaN;
  }

  /** Evaluates a formula that must give an integer from `min` to `max`. */
  evaluateInteger(formula: Formula, path: Path, min = 0, max = MAX_AXIS_SIZE): number {
    const value = this.number(formula, path);
    if (Number.isNaN(value)) return min;
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    const says = `is ${value} at these sizes`;
    this.faults.push(fieldIssue(path, formula, says, `a whole number from ${min} to ${max}`));
    return min;
  }

  checkCondition(condition: string, path: Path): void {
    try {
      const value = cachedExpression(condition).evaluate(this.#sizes);
      if (value === true) return;
      const sizes = Object.entries(this.#sizes).map(([name, size]) => `${name} = ${size}`);
      const says = value === false ? `does not hold at ${sizes.join(', ')}` : `is ${String(value)}`;
      this.faults.push(fieldIssue(path, condition, says, 'sizes of the axes for which it is true'));
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      this.faults.push(fieldIssue(path, condition, `cannot be computed: ${error.message}`, 'a condition on the axes'));
    }
  }
}

/** Product of all dimensions after the first one that is longer than 1. */
function permutableBlockLength(shape: readonly number[]): number {
  const first = shape.findIndex((size) => size > 1);
  return first < 0 ? 1 : shape.slice(first + 1).reduce((all, size) => all * size, 1);
}

const isRandom = (kind: string | undefined): boolean =>
  kind !== undefined && ['uniform', 'normal', 'integers', 'sorted', 'permutation'].includes(kind);

const unpermutedFills = ['sorted', 'permutation', 'range', 'file'];

function resolveFill(
  array: ProblemArray,
  path: Path,
  to: Resolver,
): Pick<ResolvedArray, 'fill' | 'a' | 'b' | 'diagonal'> {
  const none = { fill: 'none', a: 0, b: 0, diagonal: 0 } as const;
  const { values, type } = array;
  if (values === undefined) return none;
  const at = [...path, 'values'];
  const number = (formula: Formula | undefined, name: string): number =>
    formula === undefined ? 0 : to.number(formula, [...at, name]);
  const [least, most] = integerRanges[type] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const within = (value: number, name: string, top = most): number => {
    if (value < least || value > top)
      to.faults.push(fieldIssue([...at, name], value, `is not a value of type ${type}`, `${least} to ${top}`));
    return value;
  };
  switch (values.kind) {
    case 'uniform':
    case 'integers':
    case 'sorted': {
      if (values.kind === 'uniform' && isExactType(type))
        to.faults.push(
          fieldIssue(
            [...at, 'kind'],
            values.kind,
            `cannot be generated for type ${type}`,
            'integers, sorted or constant',
          ),
        );
      const [a, b] = [within(number(values.min, 'min'), 'min'), within(number(values.max, 'max'), 'max')];
      if (a > b) to.faults.push(fieldIssue([...at, 'max'], b, `is below the minimum, ${a}`, 'the minimum or more'));
      const diagonal = 'diagonal' in values ? number(values.diagonal as Formula | undefined, 'diagonal') : 0;
      return { fill: values.kind, a, b, diagonal };
    }
    case 'normal':
      if (isExactType(type))
        to.faults.push(
          fieldIssue([...at, 'kind'], 'normal', `cannot be generated for type ${type}`, 'integers, sorted or constant'),
        );
      return {
        fill: 'normal',
        a: number(values.mean, 'mean'),
        b: number(values.deviation, 'deviation'),
        diagonal: number(values.diagonal, 'diagonal'),
      };
    case 'range':
      return { ...none, fill: 'range', a: number(values.first, 'first'), b: number(values.step, 'step') };
    case 'constant':
      return { ...none, fill: 'constant', a: within(number(values.value, 'value'), 'value') };
    default:
      return { ...none, fill: values.kind };
  }
}

/**
 * Default error bound in units of rounding errors of the largest FP64 result: one for each of n terms. The error of a
 * floating-point sum is at most n - 1 roundings of the sum of magnitudes, and far smaller for random terms. Source:
 * Higham, Accuracy and Stability of Numerical Algorithms, section 4.2.
 */
function defaultRoundings({ role, type, tolerance, terms }: ProblemArray, path: Path, to: Resolver): number {
  if (terms === undefined) return 0;
  const at = [...path, 'terms'];
  if (role === 'input' || isExactType(type))
    to.faults.push(fieldIssue(at, terms, 'has no effect here', 'terms only for a rounded output'));
  const count = to.number(terms, at);
  if (!(count >= 1)) to.faults.push(fieldIssue(at, count, 'is too few', '1 or more'));
  return tolerance === undefined ? count : 0;
}

function resolveArray(array: ProblemArray, path: Path, to: Resolver): ResolvedArray {
  const { name, role, type, tolerance } = array;
  const shape = array.shape.map((size, i) => to.evaluateInteger(size, [...path, 'shape', i]));
  const given = role === 'input' || role === 'in-place';
  if (given && array.values === undefined)
    to.faults.push(missingIssue([...path, 'values'], 'a distribution or a file, for an input'));
  if (!given && array.values !== undefined)
    to.faults.push(
      fieldIssue([...path, 'values'], array.values, `is only for inputs, but ${name} is an output`, 'nothing'),
    );
  const limit = (key: 'absolute' | 'relative' | 'roundings'): number => {
    const value = to.number(tolerance?.[key] ?? 0, [...path, 'tolerance', key]);
    if (value < 0) to.faults.push(fieldIssue([...path, 'tolerance', key], value, 'is negative', '0 or more'));
    return value;
  };
  const [absolute, relative] = [limit('absolute'), limit('relative')];
  const roundings = limit('roundings') + defaultRoundings(array, path, to);
  if (role !== 'input' && !isExactType(type) && absolute + relative + roundings === 0)
    to.faults.push(
      missingIssue(
        [...path, 'tolerance'],
        `a tolerance above 0 (absolute, relative or roundings), or terms, because ${type} is rounded`,
      ),
    );
  const fill = resolveFill(array, path, to);
  return {
    ...{ name, role, type, shape, ...fill, absolute, relative },
    grain: unpermutedFills.includes(fill.fill) ? 0 : permutableBlockLength(shape),
    largest: roundings * unitRoundoff[type],
  };
}

const elementCount = (shape: readonly number[]): number => shape.reduce((all, size) => all * size, 1);

/** Largest number of array elements, more than any machine's memory. Products of axis sizes up to it are exact. */
const MAX_ELEMENTS = 2 ** 36;

/**
 * Evaluates all arrays and the declared work for the given axis sizes. Every error contains its path in the document.
 */
export function resolveProblem(
  definition: Pick<ProblemDefinition, 'axes' | 'constraints' | 'arrays' | 'work'>,
  sizes: Sizes,
): ResolvedProblem {
  const { axes, constraints, arrays, work } = definition;
  const names = axes.map(({ name }) => name);
  const to = new Resolver(sizes, names);
  const taken = new Set<string>();
  const once = (name: string, path: Path): void => {
    if (taken.has(name))
      to.faults.push(fieldIssue(path, name, 'is already the name of an axis or array', 'a unique name'));
    taken.add(name);
  };
  for (const [i, { name, min, max }] of axes.entries()) {
    once(name, ['axes', i, 'name']);
    const size = sizes[name];
    if (min > max)
      to.faults.push(fieldIssue(['axes', i, 'max'], max, `is below the smallest size, ${min}`, `${min} or more`));
    if (size === undefined) to.faults.push(missingIssue(['problem', name], `the size of the axis, ${min} to ${max}`));
    else if (size < min || size > max)
      to.faults.push(fieldIssue(['problem', name], size, 'is not a size of this axis', `${min} to ${max}`));
  }
  for (const name of Object.keys(sizes)) {
    if (!names.includes(name))
      to.faults.push(fieldIssue(['problem', name], sizes[name], 'is not the name of an axis', names.join(', ')));
  }
  if (to.faults.length > 0) return { arrays: [], bytes: 0, flops: null, faults: to.faults };
  for (const [i, condition] of constraints.entries()) to.checkCondition(condition, ['constraints', i]);
  const resolved = arrays.map((array, i) => {
    once(array.name, ['arrays', i, 'name']);
    const one = resolveArray(array, ['arrays', i], to);
    const elements = elementCount(one.shape);
    if (elements > MAX_ELEMENTS)
      to.faults.push(
        fieldIssue(['arrays', i, 'shape'], array.shape, `has ${elements} elements`, `at most ${MAX_ELEMENTS}`),
      );
    return one;
  });
  if (!resolved.some(({ role }) => role !== 'input'))
    to.faults.push(
      fieldIssue(
        ['arrays'],
        arrays.map(({ role }) => role),
        'has no result',
        'at least one output',
      ),
    );
  if (arrays.some(({ values }) => values?.kind === 'file') && !arrays.some(({ values }) => isRandom(values?.kind)))
    to.faults.push(
      fieldIssue(
        ['arrays'],
        arrays.flatMap(({ values }) => values?.kind ?? []),
        'are the same in every instance, so that a candidate could cache the results',
        'at least one input with random values: uniform, normal, integers, sorted or permutation',
      ),
    );
  const traffic = resolved.reduce((sum, { shape, type }) => sum + elementCount(shape) * bytesPerElement[type], 0);
  const bytes = work.bytes === undefined ? traffic : to.number(work.bytes, ['work', 'bytes']);
  const flops = work.flops === undefined ? null : to.number(work.flops, ['work', 'flops']);
  if (bytes < 0) to.faults.push(fieldIssue(['work', 'bytes'], bytes, 'is negative', '0 or more'));
  if (flops !== null && flops < 0) to.faults.push(fieldIssue(['work', 'flops'], flops, 'is negative', '0 or more'));
  return { arrays: resolved, bytes, flops, faults: to.faults };
}

const roles = { input: 'in', output: 'out', zeroed: 'zeroed', 'in-place': 'inout' } as const;

/** Writes one line for each array, in the format that kernels/user_problem/arrays.cpp parses. */
export function formatArrays(arrays: readonly ResolvedArray[], files: readonly string[] = []): string {
  return arrays
    .map(({ name, role, type, shape, grain, absolute, relative, largest, fill, a, b, diagonal }, i) =>
      [
        ...[roles[role], name, type, shape.length === 0 ? '-' : shape.join(','), grain],
        ...[absolute, relative, largest, fill, a, b, diagonal, files[i] ?? ''],
      ]
        .join(' ')
        .trimEnd(),
    )
    .join('\n');
}

/** Writes one line for each launch of a candidate. `constants` contains its tunables, which formulas may use. */
export function formatLaunches(
  { launches }: Pick<ProblemCandidate, 'launches'>,
  sizes: Sizes,
  constants: Readonly<Record<string, number>>,
): { readonly text: string; readonly faults: readonly FieldIssue[] } {
  const all = { ...sizes, ...constants };
  const to = new Resolver(all, Object.keys(all));
  const three = (of: readonly Formula[], path: Path, min: number): readonly number[] =>
    [0, 1, 2].map((i) => (of[i] === undefined ? 1 : to.evaluateInteger(of[i], [...path, i], min)));
  const lines = launches.map(({ kernel, grid, block, shared_bytes }, i) => {
    const at = ['launches', i];
    const shared = to.evaluateInteger(shared_bytes, [...at, 'shared_bytes']);
    return [kernel, ...three(grid, [...at, 'grid'], 0), ...three(block, [...at, 'block'], 1), shared].join(' ');
  });
  return { text: lines.join('\n'), faults: to.faults };
}
