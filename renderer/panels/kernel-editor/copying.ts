/** A copy of a shipped file, under a name that the user gives it. */
import type { Variant } from '../../../electron/contract/capabilities.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

/** `my-gather.cpp`, or with a number where that is taken. */
function freeName(base: string, extension: string, taken: readonly string[]): string {
  for (let n = 1; ; n += 1) {
    const name = `my-${base}${n === 1 ? '' : `-${n}`}${extension}`;
    if (!taken.includes(name)) return name;
  }
}

/** Asks for the name and makes the copy; its id, or null where there is none. */
export function useCopying(): (base: Variant, replaces: string) => Promise<string | null> {
  const { client, stores, userKernels: actions } = useWorkbench();
  const { variants, troubles, beside } = useSelected(stores.userKernels, (state) => state);
  return async ({ workload, bench, id: base, device }, replaces) => {
    const extension = device === 'cuda' ? '.cu' : '.cpp';
    const taken = [...variants, ...troubles].map(({ id }) => id);
    const suggested = freeName(base, extension, taken);
    const name = await stores.dialogs.ask('name', { title: 'Save a copy as a user kernel', suggested, extension });
    if (name === null) return null;
    const id = name.endsWith(extension) ? name : `${name}${extension}`;
    try {
      await client.call('userKernels.create', { beside, id, base: { workload, bench, id: base }, replaces });
      await actions.refresh();
      return id;
    } catch (error) {
      stores.notices.fail(`${id} was not made`, error);
      return null;
    }
  };
}
