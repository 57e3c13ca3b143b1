/**
 * Loads the scenario of the selected run, for any workload, and the values that it resolves to with the tables in use.
 */
import type { RunId } from '../../electron/contract/run.ts';
import { valueAt, withValueAt } from '../../electron/contract/scenario/index.ts';
import type { ScenarioDraft } from '../../electron/contract/scenario/workload.ts';
import type { Client } from './client/client.ts';
import { type RunData, SHOWN_KEY } from './run-data.ts';

const VARIANT = ['solver', 'variant'] as const;

/** Resolved values are the same for every variant, and the recorded variant may need a GPU that this machine lacks. */
function withAnyVariant(scenario: ScenarioDraft): ScenarioDraft {
  if (valueAt(scenario, VARIANT) === undefined) return scenario;
  return withValueAt(scenario, VARIANT, 'auto') as ScenarioDraft;
}

export class ReferenceFeed {
  readonly #client: Client;
  readonly #data: Pick<RunData, 'reference'>;
  #run: RunId | null = null;

  constructor(client: Client, data: Pick<RunData, 'reference'>) {
    this.#client = client;
    this.#data = data;
  }

  follow(run: RunId | null): void {
    if (run === this.#run) return;
    this.#run = run;
    this.#data.reference.drop(SHOWN_KEY);
    if (run !== null) void this.#load(run);
  }

  async #load(run: RunId): Promise<void> {
    try {
      const { scenario } = await this.#client.call('run.scenario', { run });
      const { resolved } = await this.#client.call('scenario.resolve', { scenario: withAnyVariant(scenario) });
      if (run === this.#run) this.#data.reference.set(SHOWN_KEY, { run, scenario, resolved });
    } catch {
      // If this fails, only the reference lines of the plots are missing.
      if (run === this.#run) this.#data.reference.drop(SHOWN_KEY);
    }
  }
}
