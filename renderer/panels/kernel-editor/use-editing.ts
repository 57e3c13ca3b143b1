/** The variant that the panel shows, in the editor. */
import { useEffect, useState } from 'react';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { Editing, type EditingState } from './editing.ts';

export interface UsedEditing extends EditingState {
  readonly actions: Pick<Editing, 'save' | 'build' | 'run' | 'setOptions' | 'sanitize' | 'reproduce'>;
}

/** `id`: a user kernel, or null. */
export function useEditing(id: string | null): UsedEditing {
  const { client, stores, userKernels, benches } = useWorkbench();
  const beside = useSelected(stores.userKernels, (state) => state.beside);
  const [editing] = useState(() => new Editing({ client, stores, userKernels, benches }));
  const state = useSelected(editing.store, (all) => all);
  useEffect(() => editing.show(id === null ? null : { beside, id }), [editing, beside, id]);
  useEffect(() => editing.follow(), [editing]);
  return { ...state, actions: editing };
}
