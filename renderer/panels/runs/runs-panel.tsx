/** The runs of this session and those opened from files. */
import type { ReactElement } from 'react';
import type { RunInfo } from '../../../electron/contract/run.ts';
import { duration, headlineText, timeOfDay } from '../../../electron/domain/numbers.ts';
import { classes } from '../../base/classes.ts';
import { hasEnded, hasResult } from '../../state/runs.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { MenuButton, type MenuItem } from '../../widgets/floating/menu.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { Icon } from '../../widgets/words/icon.tsx';
import { StateBadge } from '../../widgets/words/state-badge.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import './runs-panel.css';
import { RunOffer } from '../../workbench/offers.tsx';

function RunEntry({ run, selected }: { readonly run: RunInfo; readonly selected: boolean }): ReactElement {
  const { runs, documents } = useWorkbench();
  const over = hasEnded(run.state);
  const items: readonly MenuItem[] = [
    { id: 'save', label: 'Save as…', disabled: !hasResult(run), onChoose: () => void runs.save(run) },
    { id: 'scenario', label: 'Edit its scenario', onChoose: () => void documents.openRun(run) },
    over
      ? { id: 'forget', label: 'Remove from the list', startsGroup: true, onChoose: () => void runs.forget(run) }
      : { id: 'stop', label: 'Stop', startsGroup: true, onChoose: () => void runs.stop(run.id) },
  ];
  return (
    <li className={classes('run-entry flex rounded hoverable', selected && 'run-entry--selected')}>
      <button
        type="button"
        className="run-entry__main grid grow"
        aria-pressed={selected}
        onClick={() => runs.show(run.id)}
      >
        <span className="semi-strong break-anywhere">{run.name}</span>
        <StateBadge state={run.state} />
        <span className="run-entry__facts clip nowrap faint small">
          {[
            run.variant,
            run.precision.toUpperCase(),
            run.wall_s === null ? null : duration(run.wall_s),
            timeOfDay(run.created),
          ]
            .filter((fact) => fact !== null)
            .join(' · ')}
        </span>
        <span className="run-entry__headline text-right small">
          {run.headline === null ? run.size : headlineText(run.headline)}
        </span>
        {run.file === null ? null : (
          <span className="run-entry__file all-columns clip nowrap faint small" title={run.file.place}>
            {run.file.name}
          </span>
        )}
      </button>
      <MenuButton label={`More for ${run.name}`} className="icon-button" align="end" items={items}>
        <Icon name="dots" />
      </MenuButton>
    </li>
  );
}

export default function RunsPanel(): ReactElement {
  const { stores, runs } = useWorkbench();
  const list = useSelected(stores.runs, (state) => state.runs);
  const listed = useSelected(stores.runs, (state) => state.listed);
  const selected = useSelected(stores.selection, (state) => state.run);
  return (
    <div className="runs-panel stack wide">
      <div className="panel-bar">
        <span className="panel-readout panel-readout--none">
          {list.length === 0 ? 'No runs' : list.length === 1 ? '1 run' : `${list.length} runs`}
        </span>
        <Button icon="open" tone="quiet" onPress={() => void runs.open()}>
          Open run…
        </Button>
      </div>
      {list.length > 0 ? (
        <ul className="runs-panel__list grow scroll">
          {list.map((run) => (
            <RunEntry key={run.id} run={run} selected={run.id === selected} />
          ))}
        </ul>
      ) : (
        <EmptyState
          icon="list"
          title={listed ? 'No runs yet' : 'Reading the list…'}
          action={listed ? <RunOffer /> : null}
        >
          {listed
            ? 'Runs of this session are listed here. Open a saved one, or drop its .h5 file on the window.'
            : null}
        </EmptyState>
      )}
    </div>
  );
}
