/** Creates a user kernel: asks for its template, writes the file, and opens it with the scenario that runs it. */
import { useSelected, useWorkbench } from './context.ts';

/** `first`: what it begins as, unless the user chooses otherwise. */
export function useBeginning(): (first?: string) => Promise<void> {
  const { client, stores, documents, userKernels: actions } = useWorkbench();
  const { variants, troubles, beside } = useSelected(stores.userKernels, (state) => state);
  return async (first) => {
    try {
      const { beginnings } = await client.call('userKernels.beginnings', {});
      const taken = [...variants, ...troubles].map(({ id }) => id);
      const { devices } = stores.connection.getState().capabilities;
      const device = devices.cuda.devices.some(({ usable }) => usable) ? 'cuda' : 'cpu';
      const wanted = await stores.dialogs.ask('begin', { beginnings, taken, device, first: first ?? null });
      if (wanted === null) return;
      const { scenario, info } = await client.call('userKernels.begin', { beside, ...wanted });
      await actions.refresh();
      if (!(await documents.openFile(scenario, `${wanted.id} problem`))) return;
      // From the library, it is shown where variants are written and compared.
      if (first !== undefined) stores.layout.choose('compare');
      // A scenario of another kind has panels of its own before it.
      stores.layout.reveal('kernel-editor');
      stores.userKernels.setState({ wanted: info.id });
    } catch (error) {
      stores.notices.fail('The kernel was not made', error);
    }
  };
}
