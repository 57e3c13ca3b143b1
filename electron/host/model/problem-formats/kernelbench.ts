/**
 * Converts a task of KernelBench: a Python module with `Model`, `get_inputs` and `get_init_inputs`
 * (https://github.com/ScalingIntelligence/KernelBench). The module is run on PyTorch's meta device, which computes only
 * shapes and types. Parameters of the model become inputs of the problem.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import {
  type ProblemArray,
  type ProblemDefinition,
  USER_PROBLEM,
} from '../../../contract/scenario/user-problem/index.ts';
import { findPython } from '../user-kernels/build.ts';
import { compilerLimits, runContained } from '../user-kernels/contained.ts';
import {
  type ConvertedProblem,
  problemName,
  problemType,
  TENSOR_CONVERSION,
  throwUnsupported,
  torchTypes,
} from './formats.ts';

/**
 * Python program that runs the model on the meta device and records how the inputs are generated. It writes the result
 * to `found.json`.
 */
const PROBE = `
import importlib.util, inspect, json, math, sys, traceback
try:
    import torch
except ImportError:
    sys.exit("PyTorch is not installed")

def finish(**found):
    with open("found.json", "w") as file:
        json.dump(found, file)
    sys.exit()

drawn = []
real = {name: getattr(torch, name) for name in ("rand", "randn", "randint", "ones", "zeros", "empty")}

def recorded(kind):
    def make(*args, **options):
        options.pop("device", None)
        if kind == "randint":
            low, high, size = args if len(args) == 3 else (0, *args)
            values = {"kind": "integers", "min": int(low), "max": int(high) - 1}
            out = real["empty"](tuple(size), dtype=options.get("dtype", torch.int64), device="meta")
        else:
            size = args[0] if len(args) == 1 and not isinstance(args[0], int) else args
            values = {
                "rand": {"kind": "uniform", "min": 0, "max": 1},
                "randn": {"kind": "normal", "mean": 0, "deviation": 1},
                "ones": {"kind": "constant", "value": 1},
                "zeros": {"kind": "constant", "value": 0},
                "empty": {"kind": "constant", "value": 0},
            }[kind]
            out = real["empty"](tuple(size), dtype=options.get("dtype") or torch.get_default_dtype(), device="meta")
        drawn.append((out, values))
        return out
    return make

spec = importlib.util.spec_from_file_location("task", sys.argv[1])
task = importlib.util.module_from_spec(spec)
try:
    spec.loader.exec_module(task)
except Exception as error:
    finish(refused=f"the module does not load: {type(error).__name__}: {error}", allowed="a self-contained module")
for name in ("Model", "get_inputs"):
    if not hasattr(task, name):
        finish(refused=f"it has no {name}", allowed="a module with Model and get_inputs")
initial = task.get_init_inputs() if hasattr(task, "get_init_inputs") else []
try:
    json.dumps(initial)
except TypeError:
    finish(refused="get_init_inputs returns tensors or objects", allowed="numbers, text and lists")

def built(seed):
    torch.manual_seed(seed)
    return task.Model(*initial)

try:
    model, again = built(1), built(2)
except Exception as error:
    finish(
        refused=f"Model cannot be created: {type(error).__name__}: {error}",
        allowed="a model that needs only PyTorch",
    )
for name, module in model.named_modules():
    if isinstance(module, torch.nn.modules.dropout._DropoutNd) and module.p > 0:
        finish(refused=f"{name or 'Model'} drops values at random", allowed="a model without dropout")

def distribution(values):
    values = values.detach().double()
    low, high = float(values.min()), float(values.max())
    if low == high:
        return {"kind": "constant", "value": low}
    spread, most = float(values.std(unbiased=False)), max(abs(low), abs(high))
    if abs(spread - most / math.sqrt(3)) < 0.1 * spread:
        return {"kind": "uniform", "min": -most, "max": most}
    return {"kind": "normal", "mean": float(values.mean()), "deviation": spread}

parameters = []
others = dict(again.named_parameters()) | dict(again.named_buffers())
for kind, all_of in (("parameter", model.named_parameters()), ("buffer", model.named_buffers())):
    for name, value in all_of:
        if kind == "buffer" and torch.equal(value, others[name]):
            continue
        parameters.append({"name": name, "shape": list(value.shape), "dtype": str(value.dtype)[6:], "values": distribution(value)})

for name in real:
    setattr(torch, name, recorded(name))
try:
    inputs = task.get_inputs()
except Exception as error:
    finish(refused=f"get_inputs performs computations on its random values: {type(error).__name__}: {error}", allowed="inputs that are unmodified random values")
finally:
    for name, function in real.items():
        setattr(torch, name, function)
given, scalars = [], []
for i, value in enumerate(inputs):
    if isinstance(value, (bool, int, float)):
        given.append({"shape": [], "dtype": "float64", "values": {"kind": "constant", "value": value}, "scalar": type(value).__name__})
        continue
    if not torch.is_tensor(value):
        finish(refused=f"input {i} is {type(value).__name__}", allowed="tensors and numbers")
    values = next((of for one, of in drawn if one is value), None)
    if values is None:
        finish(refused=f"input {i} is computed from random values", allowed="inputs that are unmodified random values")
    given.append({"shape": list(value.shape), "dtype": str(value.dtype)[6:], "values": values, "scalar": ""})
names = [name for name in inspect.signature(task.Model.forward).parameters if name != "self"][: len(given)]
try:
    found = model.to("meta")(*inputs)
except Exception as error:
    finish(refused=f"forward cannot run on tensors without values (device meta): {type(error).__name__}: {error}".split("\\n")[0], allowed="a forward whose shapes follow from its inputs' shapes")
found = list(found) if isinstance(found, (tuple, list)) else [found]
if not all(torch.is_tensor(one) for one in found):
    finish(refused="forward returns no tensors", allowed="a tensor, or a tuple of tensors")
results = [{"shape": list(one.shape), "dtype": str(one.dtype)[6:]} for one in found]
finish(inputs=given, names=names, parameters=parameters, results=results)
`;

const arraySchema = z.object({ shape: z.array(z.number().int()), dtype: z.string() });
const valuesSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('uniform'), min: z.number(), max: z.number() }),
  z.object({ kind: z.literal('normal'), mean: z.number(), deviation: z.number() }),
  z.object({ kind: z.literal('integers'), min: z.number(), max: z.number() }),
  z.object({ kind: z.literal('constant'), value: z.union([z.number(), z.boolean()]).transform(Number) }),
]);
const probedTaskSchema = z.union([
  z.object({ refused: z.string(), allowed: z.string() }),
  z.object({
    inputs: z.array(arraySchema.extend({ values: valuesSchema, scalar: z.enum(['', 'bool', 'int', 'float']) })),
    names: z.array(z.string()),
    parameters: z.array(arraySchema.extend({ name: z.string(), values: valuesSchema })),
    results: z.array(arraySchema),
  }),
]);
type ProbedTask = Exclude<z.infer<typeof probedTaskSchema>, { refused: string }>;

/** Error tolerances of KernelBench in FP32. */
const TOLERANCE = { absolute: 1e-4, relative: 1e-4, roundings: 0 } as const;

const identifier = (name: string): string => name.replace(/\W/g, '_').replace(/^(?![A-Za-z])/, 'p_');

const list = (items: readonly string[]): string => `[${items.join(', ')}]`;

/** The module of the task, followed by a function that creates its model from the arrays of the problem. */
function moduleText(source: string, { inputs, parameters }: ProbedTask, made: 'Model' | 'ModelNew'): string {
  return `${source.trimEnd()}


import numpy as np
import torch

_SCALARS = ${list(inputs.map(({ scalar }) => scalar || 'None'))}
_KINDS = ${list(inputs.map(({ dtype }) => JSON.stringify(dtype)))}
_PARAMETERS = ${list(parameters.map(({ name }) => JSON.stringify(name)))}
${TENSOR_CONVERSION}

def _model(dtype):
    torch.manual_seed(0)
    return ${made}(*(get_init_inputs() if "get_init_inputs" in globals() else [])).to(dtype)


def _forward(model, arrays, device="cpu"):
    given = []
    for x, scalar, kind in zip(arrays, _SCALARS, _KINDS):
        x = scalar(x.item()) if scalar else torch.as_tensor(x).to(device)
        given.append(x.to(torch.int64) if kind == "int64" else x)
    named = dict(model.named_parameters()) | dict(model.named_buffers())
    with torch.no_grad():
        for name, x in zip(_PARAMETERS, arrays[len(_SCALARS) :]):
            named[name].copy_(torch.as_tensor(x))
        found = model(*given)
    return list(found) if isinstance(found, (tuple, list)) else [found]
`;
}

const referenceText = (source: string, found: ProbedTask): string => `${moduleText(source, found, 'Model')}

def reference(*arrays):
    found = _forward(_model(torch.float64), arrays)
    return [x.numpy() for x in found]
`;

/** Source text of a candidate that runs the model. */
function candidateText(source: string, found: ProbedTask, made: 'Model' | 'ModelNew'): string {
  return `${moduleText(source, found, made)}
_DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
_made = []


def run(*arrays):
    """The model is created once; inputs and parameters are copied into it in each call."""
    if not _made:
        _made.append(_model(torch.float32).to(_DEVICE))
    count = len(_SCALARS) + len(_PARAMETERS)
    for x, target in zip(_forward(_made[0], arrays[:count], _DEVICE), arrays[count:]):
        _store(x, target, "")
`;
}

interface Task {
  /** Path of the module; `source` is its text. */
  readonly file: string;
  readonly source: string;
  /** Modules with a class ModelNew, by the name of the candidate. */
  readonly solutions?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

async function probeTask({ file, source, signal }: Task): Promise<ProbedTask> {
  const name = path.basename(file);
  const python = await findPython(`${name} is a Python file`, signal);
  const folder = await mkdtemp(path.join(tmpdir(), 'braggbench-kernelbench-'));
  try {
    await writeFile(path.join(folder, 'task.py'), source);
    await writeFile(path.join(folder, 'probe.py'), PROBE);
    const limits = { ...compilerLimits, memory_bytes: 2 ** 36, output_bytes: 2 ** 16 };
    const work = { title: name, program: python, args: ['-B', 'probe.py', 'task.py'], folder, limits, signal };
    const { failed, output } = await runContained(work);
    const text = await readFile(path.join(folder, 'found.json'), 'utf8').catch(() => null);
    if (failed || text === null)
      throwUnsupported(
        name,
        output.trim().split('\n').at(-1) || 'it ended without a result',
        'a task that PyTorch can run',
      );
    const found = probedTaskSchema.parse(JSON.parse(text));
    if ('refused' in found) throwUnsupported(name, found.refused, found.allowed);
    return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Converts a task, which runs its module: the caller must have checked that the user trusts it. Throws BraggError
 * `unsupported` for content without an equivalent.
 */
export async function convertKernelBench(task: Task): Promise<ConvertedProblem> {
  const { file, source, solutions = {} } = task;
  const name = path.basename(file);
  const found = await probeTask(task);
  const lost: string[] = [];
  const typed = (dtype: string, place: string) => {
    // 64-bit integers are labels and indices, whose values fit into 32 bits.
    const type = problemType(dtype === 'int64' ? 'int32' : dtype);
    if (type === null)
      throwUnsupported(`${name}: ${place}`, `dtype ${dtype}`, `int64, ${Object.values(torchTypes).join(', ')}`);
    return type;
  };
  const names = new Set<string>();
  const once = (wanted: string): string => {
    let unique = identifier(wanted).slice(0, 60);
    while (names.has(unique)) unique = `${unique}_`;
    names.add(unique);
    return unique;
  };
  const input = (
    wanted: string,
    { shape, dtype, values }: ProbedTask['parameters'][number] | ProbedTask['inputs'][number],
  ) => ({
    ...{ name: once(wanted), role: 'input', type: typed(dtype, wanted), shape, values },
  });
  const arrays = [
    ...found.inputs.map((one, i) => input(found.names[i] ?? `input${i}`, one)),
    ...found.parameters.map((one) => input(one.name, one)),
    ...found.results.map(({ shape, dtype }, i): ProblemArray => {
      const type = typed(dtype, `result ${i}`);
      const isWhole = type === 'int32' || type === 'int8' || type === 'bool';
      const result = once(found.results.length === 1 ? 'result' : `result${i}`);
      return { name: result, role: 'output', type, shape, ...(!isWhole && { tolerance: TOLERANCE }) };
    }),
  ] as readonly ProblemArray[];
  if (found.results.some(({ dtype }) => dtype === 'int64')) lost.push('Results of type int64 are converted to int32.');
  lost.push('The shape is fixed, because that format has no axes, so candidates are not tried at other sizes.');
  const extra = Object.entries(solutions);
  const candidate = (named: string, title: string) => ({
    ...{ file: named, title, changes: '', launches: [], tunables: [], conditions: [] },
  });
  return {
    document: {
      ...{
        kind: USER_PROBLEM,
        version: 1,
        name: problemName(path.parse(name).name),
        notes: '',
        problem: {},
        axes: [],
      },
      ...{ constraints: [], arrays: [...arrays], work: {}, reference: 'reference.py' },
      candidates: [
        candidate('eager.py', 'PyTorch'),
        ...extra.map(([named]) => candidate(named, path.parse(named).name)),
      ],
    },
    files: {
      'reference.py': referenceText(source, found),
      'eager.py': candidateText(source, found, 'Model'),
      ...Object.fromEntries(extra.map(([named, text]) => [named, candidateText(text, found, 'ModelNew')])),
    },
    lost,
  };
}

/** Python module for KernelBench whose model is the problem's reference. Throws BraggError `unsupported`. */
export function exportKernelBench(
  definition: ProblemDefinition,
  sizes: Readonly<Record<string, number>>,
  shapes: ReadonlyMap<string, readonly number[]>,
  reference: string,
): { readonly text: string; readonly lost: readonly string[] } {
  if (!definition.reference.endsWith('.py'))
    throwUnsupported(definition.reference, 'a reference in another language', 'a .py file');
  const lost = ['That format uses the benchmark’s own tolerances, and its sizes are fixed.'];
  const inputs = definition.arrays.filter(({ role }) => role === 'input' || role === 'in-place');
  const outputs = definition.arrays.filter(({ role }) => role !== 'input');
  const formula = (value: number | string): string => {
    if (typeof value === 'number') return String(value);
    if (!/^[\w\s.+*/()-]+$/.test(value))
      throwUnsupported(definition.reference, `formula ${value}`, 'arithmetic of axes');
    return value;
  };
  const drawn = inputs.map(({ name, type, values }) => {
    const dtype = `dtype=torch.${torchTypes[type] ?? 'float32'}`;
    const shape = `(${(shapes.get(name) ?? []).join(', ')}${shapes.get(name)?.length === 1 ? ',' : ''})`;
    switch (values?.kind) {
      case 'uniform':
        return `(${formula(values.min)} + (${formula(values.max)} - (${formula(values.min)})) * torch.rand(${shape})).to(${dtype.slice(6)})`;
      case 'normal':
        return `(${formula(values.mean)} + (${formula(values.deviation)}) * torch.randn(${shape})).to(${dtype.slice(6)})`;
      case 'integers':
        return `torch.randint(${formula(values.min)}, ${formula(values.max)} + 1, ${shape}, ${dtype})`;
      case 'sorted':
        return `torch.randint(${formula(values.min)}, ${formula(values.max)} + 1, ${shape}, ${dtype}).flatten().sort()[0].reshape(${shape})`;
      case 'constant':
        return `torch.full(${shape}, ${formula(values.value)}, ${dtype})`;
      default:
        return throwUnsupported(
          name,
          `values of kind ${values?.kind ?? 'none'}`,
          'uniform, normal, integers, sorted, constant',
        );
    }
  });
  const given = inputs.map(({ name }) => name).join(', ');
  return {
    text: `${reference.trimEnd()}


import torch

${Object.entries(sizes)
  .map(([name, size]) => `${name} = ${size}`)
  .join('\n')}


class Model(torch.nn.Module):
    def forward(self, ${given}):
        import numpy as np

        def host(x):
            return x.detach().cpu().to(torch.float64 if x.is_floating_point() else x.dtype).numpy()

        found = reference(${inputs.map(({ name }) => `host(${name})`).join(', ')}, ${definition.axes.map(({ name }) => name).join(', ')})
        found = list(found) if isinstance(found, (tuple, list)) else [found]
        kinds = ${list(outputs.map(({ type }) => `torch.${torchTypes[type] ?? 'float32'}`))}
        found = [torch.as_tensor(np.asarray(x)).to(kind) for x, kind in zip(found, kinds)]
        return found[0] if len(found) == 1 else tuple(found)


def get_inputs():
    return [${drawn.join(', ')}]


def get_init_inputs():
    return []
`,
    lost,
  };
}
