/** A study is planned, then begun; one that takes more than a day is begun by a second press. */
import { useState } from 'react';
import type { StudyId } from '../../../../electron/contract/study/calls.ts';
import type { Params } from '../../../../electron/contract/wire/methods.ts';
import { errorText } from '../../../state/notices.ts';
import { useWorkbench } from '../../../workbench/context.ts';
import { isEndless } from '../words.ts';
import type { studyOf } from './study-form.ts';
import { usePlan } from './use-plan.ts';

interface Asked {
  readonly document: ReturnType<typeof studyOf>['document'];
  readonly file: Params<'study.plan'>['file'];
}

/** `on`: the cluster that it is meant for; null: this machine. */
export function useStart(asked: Asked, on: string | null, onStarted: (study: StudyId) => void) {
  const { client } = useWorkbench();
  const { planned, look, certain } = usePlan(asked);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const { search, budget } = asked.document;
  // A cluster takes its own time.
  const here = on === null ? (planned?.forecast ?? null) : null;
  const endless = planned !== null && isEndless(planned.plan, here, budget);

  const ask = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setFailure(null);
    await work().catch((error: unknown) => setFailure(errorText(error)));
    setBusy(false);
  };
  const begin = async (): Promise<void> => {
    if (planned === null) return look();
    // What nobody has read yet is read first.
    const known = endless || on !== null ? here : await certain(planned);
    if (!endless && isEndless(planned.plan, known, budget)) return;
    // A search measures where its configurations are compared.
    const where = search === undefined ? on : null;
    const { study } = await client.call('study.start', { ...asked, on: where });
    onStarted(study);
  };
  return { planned, endless, busy, failure, look: () => ask(look), start: () => ask(begin) };
}
