/** The linear layer in the page: as the other small workloads, and what fusing can save at most. */
import { taskWorkload } from '../task/index.ts';
import { FusionCeiling } from './fusion-ceiling.tsx';

export const linearRelu = { 'linear-relu': { ...taskWorkload('linear-relu'), Extra: FusionCeiling } } as const;
