/** What the maps are shown less by: another step of the run, or another run. */
import type { ReactElement } from 'react';
import { isOver, runOf } from '../../state/runs.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { PopoverRow } from '../../widgets/floating/popover.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import type { PhaseViewStore } from './store.ts';

export function ReferenceRow({ view }: { readonly view: PhaseViewStore }): ReactElement {
  const { stores } = useWorkbench();
  const reference = useSelected(view, (state) => state.reference);
  const selected = useSelected(stores.selection, (state) => state.run);
  const { runs } = useSelected(stores.runs, (state) => state);
  const { frames, index } = useSelected(stores.playback, (state) => state);
  const frame = frames[index];
  const others = runs.filter((run) => run.id !== selected && isOver(run.state) && run.error === null);
  const value = reference.kind === 'run' ? reference.run : reference.kind;
  const name = (run: (typeof runs)[number]): string => `${run.name} · ${run.variant} ${run.precision}`;
  return (
    <>
      <PopoverRow name="Difference">
        <Select
          label="Show the difference from"
          value={value}
          options={[
            { value: 'none', label: 'none' },
            ...(reference.kind === 'step' ? [{ value: 'step', label: `step ${reference.step} of this run` }] : []),
            ...others.map((run) => ({ value: run.id, label: name(run) })),
          ]}
          onChange={(chosen) => {
            if (chosen === 'step') return;
            view.setState({
              reference: chosen === 'none' ? { kind: 'none' } : { kind: 'run', run: chosen },
              limits: {},
            });
          }}
        />
        <Button
          disabled={frame === undefined || selected === null}
          title="Then go to another step: the maps show what has changed since this one"
          onPress={() => {
            if (frame === undefined || selected === null) return;
            const { step } = frame;
            view.setState({ reference: { kind: 'step', run: selected, keyframe: index, step }, limits: {} });
          }}
        >
          From this step
        </Button>
      </PopoverRow>
      {runOf({ runs, progress: {}, live: [], listed: true }, selected)?.state === 'running' &&
      reference.kind !== 'none' ? (
        <p className="popover__note">The difference is shown once the run is over.</p>
      ) : null}
    </>
  );
}
