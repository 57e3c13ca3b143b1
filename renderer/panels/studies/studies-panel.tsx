/** Studies: planned from the scenario being edited, solved in the background, and displayed as one table. */
import { type ReactElement, useCallback, useEffect, useState } from 'react';
import type { StudyEntry, StudyId } from '../../../electron/contract/study/calls.ts';
import { errorText } from '../../state/notices.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import '../../widgets/plots/plots.css';
import { NewStudy } from './new-study/new-study.tsx';
import './studies-panel.css';
import { RetryOffer } from '../../workbench/offers.tsx';
import { StudyView } from './study-view.tsx';

/**
 * Polling intervals: a short one while points are solved, otherwise a long one, which only detects studies from the
 * command line.
 */
const [BUSY_MS, IDLE_MS] = [1000, 10_000];

interface StudyListing {
  readonly studies: readonly StudyEntry[] | null;
  readonly failure: string | null;
}

/** Studies in the library, polled. */
function useStudies(): StudyListing & { readonly refresh: () => void } {
  const { client } = useWorkbench();
  const [listed, setListed] = useState<StudyListing>({ studies: null, failure: null });
  const [turn, setTurn] = useState(0);
  const busy = (listed.studies ?? []).some(({ state }) => state !== 'whole' && state !== 'open');
  // biome-ignore lint/correctness/useExhaustiveDependencies: every change of `turn` requests the list again
  useEffect(() => {
    let current = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = (): void => {
      if (current) timer = setTimeout(() => setTurn((last) => last + 1), busy ? BUSY_MS : IDLE_MS);
    };
    client.call('study.list', {}).then(
      ({ studies }) => {
        if (current) setListed({ studies, failure: null });
        again();
      },
      (error: unknown) => {
        if (current) setListed((before) => ({ ...before, failure: errorText(error) }));
        again();
      },
    );
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [client, turn, busy]);
  const refresh = useCallback(() => setTurn((last) => last + 1), []);
  return { ...listed, refresh };
}

export default function StudiesPanel(): ReactElement {
  const { studies, failure, refresh } = useStudies();
  const [chosen, setChosen] = useState<StudyId | null>(null);
  const [making, setMaking] = useState(false);
  const all = studies ?? [];
  const entry = all.find(({ id }) => id === chosen) ?? all[0] ?? null;
  const isNew = making || (studies !== null && entry === null);
  return (
    <div className="plot-panel studies clip">
      {all.length === 0 ? null : (
        <div className="panel-bar">
          <Select
            label="Study"
            value={entry?.id ?? ''}
            options={all.map(({ id, points, done }) => ({ value: id, label: `${id} (${done} of ${points})` }))}
            onChange={(id) => {
              setChosen(id);
              setMaking(false);
            }}
          />
          {isNew ? null : (
            <Button action="begin" icon="plus" onPress={() => setMaking(true)}>
              New study
            </Button>
          )}
        </div>
      )}
      {failure === null ? null : (
        <EmptyState
          icon="error"
          tone="error"
          title="The studies could not be listed"
          action={<RetryOffer onPress={refresh} />}
        >
          {failure}
        </EmptyState>
      )}
      {isNew ? (
        <NewStudy
          onStarted={(id) => {
            setChosen(id);
            setMaking(false);
            refresh();
          }}
          onBack={entry === null ? null : () => setMaking(false)}
        />
      ) : null}
      {!isNew && entry !== null ? <StudyView key={entry.id} entry={entry} onChanged={refresh} /> : null}
    </div>
  );
}
