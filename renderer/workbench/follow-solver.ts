/** Keeps the state of a solver that is being compiled, and fetches again what a new stage of it changes. */
import type { SolverStage } from '../../electron/contract/capabilities.ts';
import type { UserKernelActions } from '../actions/user-kernels.ts';
import { sameJson } from '../base/same-json.ts';
import type { Client } from '../client/index.ts';
import type { ConnectionStore } from '../state/connection.ts';
import type { NoticesStore } from '../state/notices.ts';
import type { ScenarioStore } from '../state/scenario.ts';

/** Follows the machines that the host is connected to, and measures the delay to a host that is another machine. */
const MEASURED_EVERY_MS = 5000;

export function followRemotes(client: Client, connection: ConnectionStore): void {
  client.stream(
    'remotes',
    {},
    {
      frame: ({ remotes }) => {
        connection.setState({ remotes });
      },
    },
  );
  if (client.capabilities.shell.remote === null) return;
  const measure = async (): Promise<void> => {
    const begun_ms = performance.now();
    // A call that waits for a lost line has no delay to report.
    const isWhole = (): boolean => connection.getState().state.kind === 'connected';
    const before = isWhole();
    await client.call('host.ping', {});
    if (before && isWhole()) connection.setState({ delay_ms: performance.now() - begun_ms });
  };
  const again = (): void => {
    // A connection that is gone for good reports so itself.
    measure().catch(() => undefined);
    setTimeout(again, MEASURED_EVERY_MS);
  };
  again();
}

/** User kernels are stored next to the scenario, so another scenario has other variants. */
export function followUserKernels(scenario: ScenarioStore, userKernels: UserKernelActions): void {
  void userKernels.refresh();
  scenario.subscribe((now, before) => {
    if (!sameJson(now.file?.file ?? null, before.file?.file ?? null)) void userKernels.refresh();
  });
}

interface Parts {
  readonly client: Client;
  readonly stores: { readonly connection: ConnectionStore; readonly notices: NoticesStore };
  readonly userKernels: Pick<UserKernelActions, 'refresh'>;
  /** Resolves the scenario again. */
  readonly recheck: () => void;
}

export function followSolver({ client, stores: { connection, notices }, userKernels, recheck }: Parts): void {
  let known: SolverStage = client.capabilities.variants.length === 0 ? 'none' : 'whole';
  let compiling = false;

  const refetch = async (): Promise<void> => {
    try {
      connection.setState({ capabilities: await client.call('capabilities', {}) });
      recheck();
      await userKernels.refresh();
    } catch (error) {
      notices.fail('The variants could not be listed', error);
    }
  };

  client.stream(
    'solver',
    {},
    {
      frame: (solver) => {
        connection.setState({ solver });
        const isNew = solver.stage !== known;
        // `auto` chooses among other variants before and after.
        const isOther = solver.gpuKernels !== compiling;
        known = solver.stage;
        compiling = solver.gpuKernels;
        if (isNew) void refetch();
        else if (isOther) recheck();
      },
    },
  );
}
