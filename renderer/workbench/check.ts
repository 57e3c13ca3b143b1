/** Asks the host about the scenario after every edit: what is wrong, and what it resolves to. */
import type { Client } from '../client/index.ts';
import type { ScenarioStore } from '../state/scenario.ts';

/** Longer than between two keys of one number, shorter than the look to the result. */
const SETTLE_MS = 120;

/** Returns what checks the scenario again although it has not changed. */
export function keepChecked(client: Client, store: ScenarioStore): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let current: AbortController | null = null;

  const check = async (): Promise<void> => {
    timer = null;
    current?.abort();
    const controller = new AbortController();
    current = controller;
    const { draft, file } = store.getState();
    try {
      // The host searches for a table of stopping powers next to the file.
      const params = { scenario: draft, file: file?.file ?? null };
      const outcome = await client.callCancellable('scenario.resolve', params, controller.signal);
      if (outcome.status === 'done' && store.getState().draft === draft) {
        store.checked({ draft, ...outcome.value });
      }
    } catch {
      // Connection failures are reported elsewhere; the next edit retries.
    }
  };

  store.subscribe((state, before) => {
    if (state.draft === before.draft && state.file === before.file) return;
    if (timer !== null) clearTimeout(timer);
    // A document that was just opened waits for nobody.
    timer = setTimeout(check, state.generation === before.generation ? SETTLE_MS : 0);
  });
  void check();
  return () => void check();
}
