/** The small measured workloads' side of reading scenarios. */
import type { TaskDocument } from '../../../../contract/scenario/index.ts';
import { taskKinds } from '../../../../contract/scenario/kinds.ts';
import { USER_PROBLEM } from '../../../../contract/scenario/user-problem/index.ts';
import { kernelFolders } from '../../../model/bench/ceilings.ts';
import { ofKind, type ScenarioSide } from '../../scenarios/side.ts';
import { valuesInFiles } from '../user-problem/definition.ts';
import { checkTask, resolveTask } from './index.ts';

export const taskScenario: ScenarioSide = {
  files: (filled) =>
    filled.kind === USER_PROBLEM
      ? filled.arrays.flatMap(({ values }) => (values?.kind === 'file' ? [values.path] : []))
      : [],
  find: async (any, _value, _leftOut, { folder }, { variants, memoryLimit_bytes }) => {
    const scenario = ofKind(taskKinds, any);
    const faults = checkTask(scenario, variants(scenario.kind));
    const read =
      scenario.kind === USER_PROBLEM && faults.length === 0
        ? await valuesInFiles(scenario, folder, kernelFolders().cache)
        : { files: [], faults: [] };
    return {
      faults: [...faults, ...read.faults],
      issues: [],
      warnings: () => Promise.resolve([]),
      reading: ({ draft, document, issues, valid, locate }) => ({
        kind: scenario.kind,
        draft,
        document: document as TaskDocument | null,
        issues,
        scenario,
        problem: valid ? () => resolveTask(scenario, memoryLimit_bytes, read.files) : null,
        locate,
      }),
    };
  },
};
