/**
 * Common parts of the converters from other benchmarks' formats: the files of the resulting problem folder, and the
 * content that could not be converted.
 */
import { BraggError } from '../../../contract/errors.ts';
import type { ProblemDefinition, ProblemType, USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';

/** Content of problem.json. */
interface ProblemDocument
  extends Pick<ProblemDefinition, 'axes' | 'constraints' | 'arrays' | 'work' | 'reference' | 'candidates'> {
  readonly kind: typeof USER_PROBLEM;
  readonly version: 1;
  readonly name: string;
  readonly notes: string;
  readonly problem: Readonly<Record<string, number>>;
}

export interface ConvertedProblem {
  readonly document: ProblemDocument;
  /** Further files of the problem folder, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** Sentences about content of the source that was lost in the conversion. */
  readonly lost: readonly string[];
}

/** Throws an error that names the unsupported content and its alternatives. */
export function throwUnsupported(file: string, message: string, allowed: string): never {
  throw new BraggError('unsupported', `${file}: ${message}; allowed: ${allowed}`);
}

/** Names of number types in PyTorch, by their names in user problems. */
export const torchTypes: Readonly<Partial<Record<ProblemType, string>>> = {
  fp64: 'float64',
  fp32: 'float32',
  fp16: 'float16',
  bf16: 'bfloat16',
  int32: 'int32',
  int8: 'int8',
  bool: 'bool',
  complex64: 'complex64',
  complex128: 'complex128',
};

export function problemType(torch: string): ProblemType | null {
  const found = Object.entries(torchTypes).find(([, name]) => name === torch);
  return found === undefined ? null : (found[0] as ProblemType);
}

/** Shortens a name from another benchmark, and replaces characters that file names cannot contain. */
export const problemName = (name: string): string =>
  name
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64) || 'problem';

/** Python code that converts NumPy arrays to tensors. NumPy has no bf16, so such values are passed as their bits. */
export const TENSOR_CONVERSION = `
def _tensor(values, kind):
    if kind == "bfloat16" and values.dtype == np.uint16:
        return torch.from_numpy(values.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(values)


def _store(found, target, kind):
    found = found.detach().cpu()
    if kind == "bfloat16":
        target[...] = found.to(torch.bfloat16).contiguous().view(torch.int16).numpy().view(np.uint16)
    else:
        target[...] = found.numpy()
`;
