/** Own variants lie beside the scenario: another scenario, other variants. */
import type { OwnActions } from '../actions/own.ts';
import { sameJson } from '../base/same-json.ts';
import type { ScenarioStore } from '../state/scenario.ts';

export function followOwn(scenario: ScenarioStore, own: OwnActions): void {
  void own.refresh();
  scenario.subscribe((now, before) => {
    if (!sameJson(now.file?.file ?? null, before.file?.file ?? null)) void own.refresh();
  });
}
