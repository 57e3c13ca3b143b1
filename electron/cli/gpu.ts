/** `--gpu`: which of several GPUs the runs of a command are on. */
import type { FlagSpec } from './arguments.ts';

export const gpuFlag: FlagSpec = {
  name: 'gpu',
  value: 'INDEX|UUID',
  help: 'Which of several GPUs, as devices lists them; the first that can be used by default.',
};
