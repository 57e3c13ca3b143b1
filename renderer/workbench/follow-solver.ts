/** Keeps the state of a solver that is being compiled, and fetches again what a new stage of it changes. */
import type { SolverStage } from '../../electron/contract/capabilities.ts';
import type { UserKernelActions } from '../actions/user-kernels.ts';
import type { Client } from '../client/index.ts';
import type { ConnectionStore } from '../state/connection.ts';
import type { NoticesStore } from '../state/notices.ts';

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
