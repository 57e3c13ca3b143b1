/** User kernels lie beside the scenario: another scenario, other variants. */
import type { UserKernelActions } from '../actions/user-kernels.ts';
import { sameJson } from '../base/same-json.ts';
import type { ScenarioStore } from '../state/scenario.ts';

export function followUserKernels(scenario: ScenarioStore, userKernels: UserKernelActions): void {
  void userKernels.refresh();
  scenario.subscribe((now, before) => {
    if (!sameJson(now.file?.file ?? null, before.file?.file ?? null)) void userKernels.refresh();
  });
}
