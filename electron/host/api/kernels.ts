/** Host functions of the command line: user kernels, problems and their formats. */

export { createKernel } from '../app/user-kernels/new-kernel.ts';
export { listProblems, readProblem } from '../app/user-kernels/problems.ts';
export { documentForBase, freeFolder, reproduce } from '../app/user-kernels/reproduce.ts';
export { problemHash } from '../app/user-kernels/trust.ts';
export { type BenchKind, benchKindOf, UserKernels } from '../app/user-kernels/user-kernels.ts';
export {
  convertFlashInfer,
  exportFlashInfer,
  isDefinition,
  type ReportedResult,
  readDefinition,
  readSolution,
  readTraces,
} from '../model/problem-formats/flashinfer.ts';
export type { ConvertedProblem } from '../model/problem-formats/formats.ts';
export { convertKernelBench, exportKernelBench } from '../model/problem-formats/kernelbench.ts';
export {
  descriptionFile,
  descriptionText,
  findReplaceableFiles,
  kernelExtension,
  type UserKernel,
} from '../model/user-kernels/file.ts';
export {
  candidateFiles,
  cppSignature,
  problemFileIn,
  readProblemFolder,
} from '../model/user-kernels/problem-folder.ts';
