/**
 * Converts problems from and to the FlashInfer-Trace format (https://bench.flashinfer.ai/docs/flashinfer-trace), which
 * stores definitions, workloads, solutions and traces as JSON. A definition becomes a problem, and a workload its sizes
 * and inputs. A Python solution becomes a candidate, and a trace a sentence of the notes.
 */
import { z } from 'zod';
import { BraggError } from '../../../contract/errors.ts';
import {
  type ProblemArray,
  type ProblemDefinition,
  USER_PROBLEM,
} from '../../../contract/scenario/user-problem/index.ts';
import { ExpressionError, parseExpression } from '../../../domain/values/expression.ts';
import {
  type ConvertedProblem,
  problemName,
  problemType,
  TENSOR_CONVERSION,
  throwUnsupported,
  torchTypes,
} from './formats.ts';

const tensorSchema = z.object({
  shape: z.array(z.string()).nullable(),
  dtype: z.string(),
  description: z.string().nullish(),
  optional: z.boolean().nullish(),
});
type Tensor = z.infer<typeof tensorSchema>;

const definitionSchema = z.object({
  name: z.string().min(1),
  op_type: z.string(),
  description: z.string().nullish(),
  axes: z.record(
    z.string(),
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('const'), value: z.number().int(), description: z.string().nullish() }),
      z.object({ type: z.literal('var'), description: z.string().nullish() }),
    ]),
  ),
  inputs: z.record(z.string(), tensorSchema),
  outputs: z.record(z.string(), tensorSchema),
  reference: z.string(),
  constraints: z.array(z.string()).nullish(),
});
type Definition = z.infer<typeof definitionSchema>;

const workloadSchema = z.object({
  uuid: z.string(),
  axes: z.record(z.string(), z.number().int()),
  inputs: z.record(
    z.string(),
    z.union([
      z.object({ type: z.literal('random') }),
      z.object({ type: z.literal('scalar'), value: z.union([z.number(), z.boolean()]) }),
      z.object({ type: z.literal('safetensors'), path: z.string(), tensor_key: z.string() }),
    ]),
  ),
});
type Workload = z.infer<typeof workloadSchema>;

const traceSchema = z.object({
  definition: z.string(),
  workload: workloadSchema,
  solution: z.string().nullish(),
  evaluation: z
    .object({
      status: z.string(),
      environment: z.object({ hardware: z.string() }).nullish(),
      performance: z.object({ latency_ms: z.number() }).nullish(),
    })
    .nullish(),
});
export type Trace = z.infer<typeof traceSchema>;

const solutionSchema = z.object({
  name: z.string(),
  definition: z.string(),
  description: z.string().nullish(),
  author: z.string().nullish(),
  spec: z.object({
    language: z.string(),
    entry_point: z.string(),
    destination_passing_style: z.boolean().nullish(),
  }),
  sources: z.array(z.object({ path: z.string(), content: z.string() })).min(1),
});
type Solution = z.infer<typeof solutionSchema>;

function parseBySchema<T>(schema: z.ZodType<T>, value: unknown, file: string): T {
  const found = schema.safeParse(value);
  if (found.success) return found.data;
  const [first] = found.error.issues;
  throw new BraggError('invalid', `${file}: ${first?.path.join('.') || 'the document'}: ${first?.message ?? ''}`);
}

const jsonIn = (text: string, file: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BraggError('invalid', `${file} is not JSON: ${String(error)}`);
  }
};

export const readDefinition = (text: string, file: string): Definition =>
  parseBySchema(definitionSchema, jsonIn(text, file), file);

/** Whether a JSON document is a definition: it has axes, inputs, outputs and a reference. */
export const isDefinition = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'inputs' in value && 'outputs' in value && 'reference' in value;

/** Reads workloads or traces, which have the same structure, from lines of JSON. */
export const readTraces = (text: string, file: string): readonly Trace[] =>
  text
    .split('\n')
    .map((line, i) => ({ line, place: `${file}:${i + 1}` }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, place }) => parseBySchema(traceSchema, jsonIn(line, place), place));

export const readSolution = (text: string, file: string): Solution =>
  parseBySchema(solutionSchema, jsonIn(text, file), file);

const NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_]*$/;

/** Error tolerances of FlashInfer-Bench. */
const TOLERANCE = { absolute: 0.01, relative: 0.01, roundings: 0 } as const;

/** Size that an axis gets if there is no workload. */
const DEFAULT_SIZE = 16;

interface AxisFormulas {
  /** Formulas for axes whose sizes follow from other axes. */
  readonly derived: ReadonlyMap<string, string>;
  readonly constraints: readonly string[];
  /** Constraints on values in arrays. Only inputs from files can meet them. */
  readonly ofValues: readonly string[];
}

function parseAxes({ name, axes, constraints }: Definition): AxisFormulas {
  const known = Object.keys(axes);
  for (const axis of known)
    if (!NAME_PATTERN.test(axis))
      throwUnsupported(name, `axes.${axis} is not a valid name`, 'a letter, then letters, digits and _');
  const derived = new Map<string, string>();
  const kept: string[] = [];
  const ofValues: string[] = [];
  const sizes = Object.fromEntries(known.map((axis) => [axis, 1]));
  for (const text of constraints ?? []) {
    const [, axis = '', formula = ''] = /^\s*(\w+)\s*==\s*(.+)$/.exec(text) ?? [];
    try {
      parseExpression(text).evaluate(sizes);
      if (axes[axis]?.type === 'var' && !new RegExp(`\\b${axis}\\b`).test(formula)) derived.set(axis, formula.trim());
      else kept.push(text);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      ofValues.push(text);
    }
  }
  return { derived, constraints: kept, ofValues };
}

const sizeFormula = (axis: string, { derived }: AxisFormulas): string => {
  const formula = derived.get(axis);
  return formula === undefined ? axis : `(${formula})`;
};

function convertArray(
  name: string,
  tensor: Tensor,
  role: 'input' | 'output',
  axes: AxisFormulas,
  of: Definition,
): ProblemArray {
  const place = `${of.name}: ${role}s.${name}`;
  if (!NAME_PATTERN.test(name))
    throwUnsupported(of.name, `${role}s.${name} is not a valid name`, 'a letter, then letters, digits and _');
  const type = problemType(tensor.dtype);
  if (type === null) throwUnsupported(place, `dtype ${tensor.dtype}`, Object.values(torchTypes).join(', '));
  const shape = (tensor.shape ?? []).map((axis) => {
    if (!(axis in of.axes))
      throwUnsupported(place, `the shape uses ${axis}, which is not an axis`, Object.keys(of.axes).join(', '));
    return sizeFormula(axis, axes);
  });
  const isWhole = type === 'int32' || type === 'int8' || type === 'bool';
  const tolerance = role === 'output' && !isWhole ? { tolerance: TOLERANCE } : {};
  return { name, role, type, shape, ...tolerance };
}

/** Ranges from which FlashInfer-Bench draws random integers. */
const integerRanges = { int32: [-1024, 1023], int8: [-128, 127], bool: [0, 1] } as const;

function inputValues(name: string, { type, shape }: ProblemArray, of: Definition, workload: Workload | null) {
  const given = workload?.inputs[name];
  const place = `${of.name}: inputs.${name}`;
  const scalar = of.inputs[name]?.shape === null;
  if (given?.type === 'safetensors') return { kind: 'file', path: given.path, dataset: given.tensor_key } as const;
  if (given?.type === 'scalar') {
    if (shape.length > 0) throwUnsupported(place, 'a scalar used as an array', 'random or safetensors');
    return { kind: 'constant', value: Number(given.value) } as const;
  }
  if (scalar) throwUnsupported(place, 'the scalar has no value', 'a workload that gives its value');
  if (type === 'int32' || type === 'int8' || type === 'bool') {
    if (given === undefined && type !== 'bool')
      throwUnsupported(place, `whole numbers without a range (${type})`, 'a workload that contains them');
    const [min, max] = integerRanges[type];
    return { kind: 'integers', min, max } as const;
  }
  return { kind: 'normal', mean: 0, deviation: 1 } as const;
}

const referenceText = ({ inputs, reference }: Definition): string => `${reference.trimEnd()}


import numpy as np
import torch

_run = run
_SCALARS = ${pythonList(Object.values(inputs).map(({ shape }) => (shape === null ? 'True' : 'False')))}


def reference(*given):
    """Calls the definition's function run with the inputs in FP64; drops the axis sizes that follow them."""
    given = given[: len(_SCALARS)]
    return _run(*[float(x) if scalar else torch.as_tensor(x) for x, scalar in zip(given, _SCALARS)])
`;

const pythonList = (items: readonly string[]): string => `[${items.join(', ')}]`;

/** Source text of a candidate that calls a solution in Python or Triton. */
function candidateText(solution: Solution, definition: Definition): string {
  const { name, spec, sources } = solution;
  if (solution.definition !== definition.name)
    throwUnsupported(name, `it solves ${solution.definition}`, `solutions of ${definition.name}`);
  if (spec.language !== 'python' && spec.language !== 'triton')
    throwUnsupported(
      name,
      `language ${spec.language} needs a Python binding, which only that benchmark can compile`,
      'python, triton',
    );
  const [only, ...more] = sources;
  if (only === undefined || more.length > 0) throwUnsupported(name, `${sources.length} source files`, 'one file');
  const [file = '', entry = ''] = spec.entry_point.split('::');
  if (file !== only.path || !NAME_PATTERN.test(entry))
    throwUnsupported(name, `entry point ${spec.entry_point}`, `${only.path}::function`);
  const types = (of: Readonly<Record<string, Tensor>>): string =>
    pythonList(Object.values(of).map(({ shape, dtype }) => JSON.stringify(shape === null ? 'scalar' : dtype)));
  const style = spec.destination_passing_style !== false;
  return `${only.content.trimEnd()}


import numpy as np
import torch

_solution = ${entry}
_INPUTS = ${types(definition.inputs)}
_OUTPUTS = ${types(definition.outputs)}
_DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
${TENSOR_CONVERSION}

def run(*arrays):
    """Inputs and results as in the problem. Copies to and from a GPU are part of the measured time."""
    given = [x.item() if kind == "scalar" else _tensor(x, kind).to(_DEVICE) for x, kind in zip(arrays, _INPUTS)]
    targets = arrays[len(_INPUTS) : len(_INPUTS) + len(_OUTPUTS)]
${
  style
    ? `    found = [_tensor(x, kind).to(_DEVICE) for x, kind in zip(targets, _OUTPUTS)]
    _solution(*given, *found)`
    : `    found = _solution(*given)
    if isinstance(found, dict):
        found = list(found.values())
    if not isinstance(found, (tuple, list)):
        found = [found]`
}
    for one, target, kind in zip(found, targets, _OUTPUTS):
        _store(one, target, kind)
`;
}

const candidateFileName = (solution: Solution): string => `${problemName(solution.name).slice(0, 60)}.py`;

/** Converts a definition to a problem. Throws BraggError `unsupported` for content without an equivalent. */
export function convertFlashInfer(
  definition: Definition,
  traces: readonly Trace[] = [],
  solutions: readonly Solution[] = [],
): ConvertedProblem {
  const axes = parseAxes(definition);
  const lost: string[] = [];
  const mine = traces.filter((trace) => trace.definition === definition.name);
  if (traces.length > 0 && mine.length === 0)
    throwUnsupported(definition.name, 'no workload of this definition', `workloads of ${definition.name}`);
  const [first] = mine;
  const workload = first?.workload ?? null;
  if (mine.length > 1)
    lost.push(
      `The session uses the sizes of the first of ${mine.length} workloads; candidates are also checked at the sizes of the others.`,
    );
  const files = Object.values(workload?.inputs ?? {}).some(({ type }) => type === 'safetensors');
  const [ofValues] = axes.ofValues;
  if (ofValues !== undefined) {
    if (!files)
      throwUnsupported(
        definition.name,
        `constraint ${JSON.stringify(ofValues)} depends on values of an array`,
        'conditions on axes, or a workload with files',
      );
    lost.push(
      `Constraints on values of arrays are satisfied only by the values in the files: ${axes.ofValues.join('; ')}.`,
    );
  }
  const own = Object.entries(definition.axes).filter(([axis]) => !axes.derived.has(axis));
  const tried = (axis: string): number[] =>
    [...new Set(mine.slice(1).flatMap((trace) => trace.workload.axes[axis] ?? []))].slice(0, 8);
  const size = (axis: string): number => {
    const found = definition.axes[axis];
    return found?.type === 'const' ? found.value : (workload?.axes[axis] ?? DEFAULT_SIZE);
  };
  const inputs = Object.entries(definition.inputs).map(([name, tensor]) => {
    const array = convertArray(name, tensor, 'input', axes, definition);
    if (tensor.optional === true) lost.push(`${name} is optional in the original, but always passed here.`);
    return { ...array, values: inputValues(name, array, definition, workload) };
  });
  const outputs = Object.entries(definition.outputs).map(([name, tensor]) => {
    const clash = name in definition.inputs ? `${name}_out` : name;
    return convertArray(clash, tensor, 'output', axes, definition);
  });
  const reported = mine.flatMap(({ solution, evaluation }) => {
    if (solution == null || evaluation == null) return [];
    const time = evaluation.performance == null ? '' : `, ${evaluation.performance.latency_ms} ms`;
    return [
      `${solution}: ${evaluation.status}${time}${evaluation.environment == null ? '' : ` on ${evaluation.environment.hardware}`}`,
    ];
  });
  const candidates = solutions.map((solution) => ({
    ...{
      file: candidateFileName(solution),
      title: solution.name.slice(0, 100),
      changes: (solution.description ?? '').slice(0, 500),
    },
    ...{ launches: [], tunables: [], conditions: [] },
  }));
  return {
    document: {
      ...{ kind: USER_PROBLEM, version: 1, name: problemName(definition.name) },
      notes: [
        definition.description ?? '',
        ...(reported.length === 0 ? [] : [`Reported: ${reported.slice(0, 20).join('; ')}`]),
      ]
        .filter((one) => one !== '')
        .join(' ')
        .slice(0, 2000),
      problem: Object.fromEntries(own.map(([axis]) => [axis, size(axis)])),
      axes: own.map(([name, axis]) => ({
        ...{ name, about: (axis.description ?? '').slice(0, 200) },
        ...(axis.type === 'const'
          ? { min: axis.value, max: axis.value, try: [] }
          : { min: 1, max: 2 ** 31 - 1, try: tried(name) }),
      })),
      constraints: [...axes.constraints],
      arrays: [...inputs, ...outputs],
      ...{ work: {}, reference: 'reference.py', candidates },
    },
    files: {
      'reference.py': referenceText(definition),
      ...Object.fromEntries(
        solutions.map((solution) => [candidateFileName(solution), candidateText(solution, definition)]),
      ),
    },
    lost,
  };
}

/** Result of one solution, as reported by a trace. */
export interface ReportedResult {
  readonly solution: string;
  /** Time in seconds; null if not measured. */
  readonly time_s: number | null;
  readonly correct: boolean;
  readonly hardware: string;
  readonly created: string;
}

interface ExportedProblem {
  readonly name: string;
  readonly definition: ProblemDefinition;
  readonly sizes: Readonly<Record<string, number>>;
  readonly notes: string;
  readonly reference: string;
  /** Source texts of the Python candidates, by name. */
  readonly candidates: Readonly<Record<string, string>>;
  readonly reported: readonly ReportedResult[];
  readonly uuid: string;
}

/**
 * Files of a FlashInfer-Trace dataset for a problem. `lost` lists content that the format cannot express. Throws
 * BraggError `unsupported`.
 */
export function exportFlashInfer(of: ExportedProblem): {
  readonly files: Readonly<Record<string, string>>;
  readonly lost: readonly string[];
} {
  const { name, definition, sizes, notes, reference, candidates, reported, uuid } = of;
  const lost: string[] = [];
  if (!definition.reference.endsWith('.py'))
    throwUnsupported(definition.reference, 'a reference in another language', 'a .py file');
  const axes: Record<string, unknown> = {};
  for (const { name: axis, about, min, max } of definition.axes) {
    const described = about === '' ? {} : { description: about };
    axes[axis] = min === max ? { type: 'const', value: min, ...described } : { type: 'var', ...described };
  }
  const constraints = [...definition.constraints];
  const axisFor = (array: string, formula: number | string): string => {
    if (typeof formula === 'string' && formula in axes) return formula;
    if (typeof formula === 'number') {
      axes[`size_${formula}`] = { type: 'const', value: formula };
      return `size_${formula}`;
    }
    const made = `${array}_size_${constraints.length}`;
    axes[made] = { type: 'var' };
    constraints.push(`${made} == ${formula}`);
    return made;
  };
  const tensors = (wanted: (array: ProblemArray) => boolean) =>
    Object.fromEntries(
      definition.arrays.filter(wanted).map(({ name: array, role, type, shape, values }) => {
        if (role === 'in-place') throwUnsupported(array, 'an array that is changed in place', 'inputs and outputs');
        const dtype = torchTypes[type];
        if (dtype === undefined || /64$|128$/.test(type))
          throwUnsupported(array, `type ${type}`, 'fp32, fp16, bf16, int32, int8, bool');
        const scalar = shape.length === 0 && values?.kind === 'constant';
        return [array, { shape: scalar ? null : shape.map((one) => axisFor(array, one)), dtype }];
      }),
    );
  const inputs = tensors(({ role }) => role === 'input');
  const outputs = tensors(({ role }) => role !== 'input');
  const workload = Object.fromEntries(
    definition.arrays
      .filter(({ role }) => role === 'input')
      .map(({ name: array, values, shape }) => {
        if (values?.kind === 'constant' && shape.length === 0 && typeof values.value === 'number')
          return [array, { type: 'scalar', value: values.value }];
        if (values?.kind === 'file')
          throwUnsupported(array, 'values from a file', 'random values (that format reads files only as safetensors)');
        if (values?.kind !== 'normal' || values.mean !== 0 || values.deviation !== 1)
          lost.push(`Values of ${array} are random in that format: normally distributed, or whole numbers.`);
        return [array, { type: 'random' }];
      }),
  );
  if (definition.arrays.some(({ tolerance }) => tolerance !== undefined))
    lost.push('That format uses the benchmark’s own tolerances.');
  const variable = definition.axes.filter(({ min, max }) => min !== max).map(({ name: axis }) => axis);
  const placed = { uuid, axes: Object.fromEntries(variable.map((axis) => [axis, sizes[axis] ?? 1])), inputs: workload };
  const names = definition.axes.map(({ name: axis }) => axis);
  const sizeOf = (axis: string): string => {
    for (const { name: array, role, shape } of definition.arrays) {
      const at = shape.indexOf(axis);
      if (role === 'input' && at >= 0) return `${array}.shape[${at}]`;
    }
    const fixed = definition.axes.find((one) => one.name === axis && one.min === one.max);
    if (fixed === undefined)
      throwUnsupported(name, `axis ${axis} is not the size of any input`, 'axes in the shape of an input');
    return String(fixed.min);
  };
  const parameters = Object.keys(inputs).join(', ');
  const text = `${reference.trimEnd()}


def run(${parameters}):
    import numpy as np
    import torch

    def host(x):
        return x.detach().cpu().to(torch.float64 if x.is_floating_point() else torch.int64).numpy() if torch.is_tensor(x) else x

    sizes = [${names.map(sizeOf).join(', ')}]
    found = reference(${Object.keys(inputs)
      .map((one) => `host(${one})`)
      .join(', ')}, *sizes)
    found = list(found) if isinstance(found, (tuple, list)) else [found]
    kinds = ${pythonList(Object.values(outputs).map(({ dtype }) => `torch.${String(dtype)}`))}
    found = [torch.as_tensor(np.asarray(x)).to(kind) for x, kind in zip(found, kinds)]
    return found[0] if len(found) == 1 else tuple(found)
`;
  const parts: Record<string, string> = {
    [`definitions/user/${name}.json`]: `${JSON.stringify({ name, op_type: 'user', description: notes, axes, inputs, outputs, ...(constraints.length > 0 && { constraints }), reference: text }, null, 2)}\n`,
    [`workloads/user/${name}.jsonl`]: `${JSON.stringify({ definition: name, solution: null, workload: placed, evaluation: null })}\n`,
  };
  for (const { file, title, changes } of definition.candidates)
    if (!(file in candidates))
      lost.push(`${file} (${title || changes || 'a candidate'}) cannot be expressed in that format.`);
  for (const [file, source] of Object.entries(candidates)) {
    const solution = file.replace(/\.py$/, '');
    const given = Object.keys(inputs).join(', ');
    const wrapped = `${source.trimEnd()}


_run = run


def run_tensors(${[...Object.keys(inputs), ...Object.keys(outputs)].join(', ')}):
    import torch

    host = [x.detach().cpu().numpy() if torch.is_tensor(x) else x for x in (${given},)]
    targets = (${Object.keys(outputs).join(', ')},)
    found = [x.detach().cpu().numpy() for x in targets]
    _run(*host, *found, ${names.map(sizeOf).join(', ')})
    for target, values in zip(targets, found):
        target.copy_(torch.from_numpy(values))
`;
    if (definition.arrays.some(({ type }) => type === 'bf16')) {
      lost.push(`${file} expects bf16 values as bits, which NumPy cannot read from tensors.`);
      continue;
    }
    parts[`solutions/user/${name}/${solution}.json`] = `${JSON.stringify(
      {
        ...{ name: solution, definition: name, author: 'braggbench', description: '' },
        spec: {
          language: 'python',
          target_hardware: ['CPU'],
          entry_point: 'main.py::run_tensors',
          destination_passing_style: true,
          dependencies: ['torch', 'numpy'],
        },
        sources: [{ path: 'main.py', content: wrapped }],
      },
      null,
      2,
    )}\n`;
  }
  const first = reported[0]?.time_s ?? null;
  const lines = reported.map(({ solution, time_s, correct, hardware, created }) => {
    const passed = correct && time_s !== null;
    const performance = passed
      ? {
          latency_ms: 1e3 * time_s,
          reference_latency_ms: 1e3 * (first ?? time_s),
          speedup_factor: (first ?? time_s) / time_s,
        }
      : null;
    const status = passed ? 'PASSED' : time_s === null ? 'RUNTIME_ERROR' : 'INCORRECT_NUMERICAL';
    const environment = { hardware, libs: {} };
    return JSON.stringify({
      definition: name,
      solution: solution.replace(/\.py$/, ''),
      workload: placed,
      evaluation: { status, log: '', correctness: null, performance, environment, timestamp: created },
    });
  });
  if (lines.length > 0) {
    lost.push(
      'Braggbench records errors relative to the tolerance, so traces contain no correctness values. Their reference is the first candidate.',
    );
    parts[`traces/user/${name}.jsonl`] = `${lines.join('\n')}\n`;
  }
  return { files: parts, lost };
}
