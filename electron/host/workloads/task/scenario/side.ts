/** The small measured workloads' side of reading scenarios. */
import type { TaskDocument } from '../../../../contract/scenario/index.ts';
import { taskKinds } from '../../../../contract/scenario/kinds.ts';
import { ofKind, type ScenarioSide } from '../../scenarios/side.ts';
import { checkTask, resolveTask } from './index.ts';

export const taskScenario: ScenarioSide = {
  files: () => [],
  find: (any, _value, _leftOut, _place, { variants, memoryLimit_bytes }) => {
    const scenario = ofKind(taskKinds, any);
    return Promise.resolve({
      faults: checkTask(scenario, variants(scenario.kind)),
      issues: [],
      warnings: () => Promise.resolve([]),
      reading: ({ draft, document, issues, valid, locate }) => ({
        kind: scenario.kind,
        draft,
        document: document as TaskDocument | null,
        issues,
        scenario,
        problem: valid ? () => resolveTask(scenario, memoryLimit_bytes) : null,
        locate,
      }),
    });
  },
};
