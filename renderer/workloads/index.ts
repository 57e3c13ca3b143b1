/** The workloads of the page: a further one is one line. */
import { eachTask } from '../../electron/contract/task.ts';
import type { PageWorkloads } from '../workbench/workload.ts';
import { diffraction } from './diffraction/index.ts';
import { linearRelu } from './linear-relu/index.ts';
import { taskWorkload } from './task/index.ts';
import { transport } from './transport/index.ts';

export const pageWorkloads: PageWorkloads = { transport, diffraction, ...eachTask(taskWorkload), ...linearRelu };
