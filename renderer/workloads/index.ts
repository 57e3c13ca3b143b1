/** Workloads of the page. To add a workload, add it to the list. */
import { recordByTaskKind } from '../../electron/contract/task.ts';
import type { PageWorkloads } from '../workbench/workload.ts';
import { diffraction } from './diffraction/index.tsx';
import { linearRelu } from './linear-relu/index.tsx';
import { taskWorkload } from './task/index.tsx';
import { transport } from './transport/index.ts';

export const pageWorkloads: PageWorkloads = {
  transport,
  diffraction,
  ...recordByTaskKind(taskWorkload),
  ...linearRelu,
};
