/** Base variants that kernels written from scratch replace. */
import type { UserKernelDescription } from '../../../contract/user-kernels.ts';

export const ownKernel = (device: 'cpu' | 'cuda'): Pick<UserKernelDescription, 'workload' | 'base' | 'replaces'> => ({
  workload: 'micro',
  base: `own-${device}`,
  replaces: `kernels/micro/own/${device === 'cuda' ? 'own.cu' : 'own_compute.cpp'}`,
});
