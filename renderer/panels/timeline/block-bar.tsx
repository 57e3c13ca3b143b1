/** List of open timelines, and their alignment. */
import { type ReactElement, useRef } from 'react';
import type { TraceInfo } from '../../../electron/contract/timeline.ts';
import { count } from '../../../electron/domain/numbers.ts';
import type { StoredRun } from '../../data/stored-runs.ts';
import { hasEnded } from '../../state/runs.ts';
import { Select } from '../../widgets/controls/select.tsx';
import { MenuButton, type MenuItem } from '../../widgets/floating/menu.tsx';
import { Icon } from '../../widgets/words/icon.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import type { TimelineController } from './controller.ts';
import type { TimelineStateStore } from './store.ts';

interface BlockBarProps {
  readonly controller: TimelineController | null;
  readonly state: TimelineStateStore;
}

/** Maximum number of steps in a list; a longer list would be too long to scroll. */
const MAX_STEPS = 400;

function AlignmentChoice({ controller, state }: BlockBarProps): ReactElement | null {
  const alignment = useSelected(state, (now) => now.alignment);
  const steps = useSelected(state, (now) => now.steps);
  const open = useSelected(useWorkbench().stores.timelines, (now) => now.open);
  const kernels = open.length > 1 && open.every(({ firstKernel_ns }) => firstKernel_ns !== null);
  if (steps.length === 0 && !kernels) return null;
  const every = Math.ceil(steps.length / MAX_STEPS);
  const options = [
    { value: 'start', label: 'the start' },
    ...(kernels ? [{ value: 'kernel', label: 'the first kernel' }] : []),
    ...steps.filter((_, i) => i % every === 0).map((step) => ({ value: String(step), label: `step ${step}` })),
  ];
  return (
    <span className="timeline-align flex center gap-m muted">
      <label htmlFor="timeline-align">Aligned at</label>
      <Select
        id="timeline-align"
        value={alignment.by === 'step' ? String(alignment.step) : alignment.by}
        options={options}
        onChange={(value) =>
          controller?.align(
            value === 'start' || value === 'kernel' ? { by: value } : { by: 'step', step: Number(value) },
          )
        }
      />
    </span>
  );
}

/** Variant name: the first part of a run's description. */
const variantOf = ({ about }: TraceInfo): string => about.split(',')[0] ?? '';

export function BlockBar({
  controller,
  state,
  recorded,
}: BlockBarProps & { readonly recorded: readonly StoredRun[] }): ReactElement {
  const { stores, timelines } = useWorkbench();
  const open = useSelected(stores.timelines, (now) => now.open);
  const followed = useSelected(stores.timelines, (now) => now.followed);
  const runs = useSelected(stores.runs, (now) => now.runs);
  const selected = useSelected(state, (now) => now.selected);
  const picker = useRef<HTMLInputElement>(null);
  const add: readonly MenuItem[] = [
    {
      id: 'file',
      label: 'Open a file…',
      detail: 'Chrome trace, Nsight Systems’ SQLite export, or a run',
      onChoose: async () => {
        if (!(await timelines.choose())) picker.current?.click();
      },
    },
    ...runs
      .filter((run) => hasEnded(run.state) && run.wall_s !== null && !open.some((info) => info.run === run.id))
      .slice(0, 12)
      .map((run, i) => ({
        id: run.id,
        label: run.name,
        detail: `${run.variant} ${run.precision.toUpperCase()}`,
        ...(i === 0 && { heading: 'Runs', startsGroup: true }),
        onChoose: () => void timelines.openRun(run.id),
      })),
    ...recorded.map(({ id, file, fileName, name, facts }, i) => ({
      id,
      label: name,
      detail: [facts.variant, facts.device].filter(Boolean).join(', '),
      ...(i === 0 && { heading: 'Recorded', startsGroup: true }),
      onChoose: () => void timelines.openFile(file, fileName),
    })),
  ];
  return (
    <div className="timeline-blocks flex center wrap line-below">
      <ul className="timeline-blocks__list flex wrap gap-s" aria-label="Timelines shown">
        {open.map((info) => {
          const items: readonly MenuItem[] = [
            {
              id: 'all',
              label: 'Export Chrome trace',
              detail: `All ${count(info.spans)} spans, for Perfetto`,
              onChoose: () => controller?.exportTrace(info.id, false),
            },
            {
              id: 'part',
              label: 'Export the selected time',
              detail: selected === null ? 'Select a range of time first' : 'As a Chrome trace',
              disabled: selected === null,
              onChoose: () => controller?.exportTrace(info.id, true),
            },
            {
              id: 'keep',
              label: 'Keep when another run is selected',
              checked: info.run === null || info.run !== followed,
              disabled: info.run === null || info.run !== followed,
              startsGroup: true,
              onChoose: () => stores.timelines.follow(null),
            },
            { id: 'close', label: 'Close', startsGroup: true, onChoose: () => void timelines.close(info.id) },
          ];
          return (
            <li key={info.id}>
              <MenuButton
                label={`${info.name}${info.run === null ? '' : ` ${variantOf(info)}`}, timeline`}
                className="timeline-block flex center gap-s ink rounded"
                items={items}
                title={info.about}
              >
                <span className="clip nowrap">{info.name}</span>
                {/* A space for screen readers. */}
                {info.run === null ? null : ' '}
                {info.run === null ? null : <span className="clip nowrap muted">{variantOf(info)}</span>}
                <Icon name="chevron" size={12} />
              </MenuButton>
            </li>
          );
        })}
      </ul>
      <MenuButton label="Add a timeline" action="add" className="icon-button" title="Add a timeline" items={add}>
        <Icon name="plus" size={14} />
      </MenuButton>
      <input
        ref={picker}
        type="file"
        hidden
        aria-label="Timeline file"
        accept=".json,.gz,.sqlite,.db,.nsys-rep,.qdrep,.h5"
        onChange={(event) => {
          const file = event.target.files?.[0];
          // Reset the input, so that the same file can be chosen again.
          event.target.value = '';
          if (file !== undefined) void timelines.openLocal(file);
        }}
      />
      <AlignmentChoice controller={controller} state={state} />
    </div>
  );
}
