/** Problems in formats of other benchmarks: the files of a problem folder that they become, and what has no counterpart. */
import { BraggError } from '../../../contract/errors.ts';
import type { ProblemDefinition, ProblemType, USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';

/** A document of a problem, as problem.json holds it. */
interface ProblemDocument
  extends Pick<ProblemDefinition, 'axes' | 'constraints' | 'arrays' | 'work' | 'reference' | 'candidates'> {
  readonly kind: typeof USER_PROBLEM;
  readonly version: 1;
  readonly name: string;
  readonly notes: string;
  readonly problem: Readonly<Record<string, number>>;
}

export interface Converted {
  readonly document: ProblemDocument;
  /** Further files of the folder by name. */
  readonly files: Readonly<Record<string, string>>;
  /** Content of the source that the problem lacks, one sentence each. */
  readonly lost: readonly string[];
}

/** Ends a conversion; the message names what has no counterpart, and what would. */
export function refuse(file: string, message: string, allowed: string): never {
  throw new BraggError('unsupported', `${file}: ${message}; allowed: ${allowed}`);
}

/** Number types of NumPy and PyTorch by ours. */
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

/** Names of other benchmarks may be longer, or hold characters that a file cannot. */
export const problemName = (name: string): string =>
  name
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64) || 'problem';

/** The part of a Python file that turns NumPy's arrays into tensors: bf16 comes as its bits. */
export const TENSORS = `
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
