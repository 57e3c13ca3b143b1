/** Toolbar of the panel: search, values at the pointer, zoom, drag mode, export. */
import { type ReactElement, useEffect, useState } from 'react';
import type { StoreApi } from 'zustand/vanilla';
import { count } from '../../../electron/domain/numbers.ts';
import { exactTime, timeText } from '../../drawing/timeline/time-text.ts';
import { IconButton } from '../../widgets/controls/button.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { ExportMenu } from '../../widgets/floating/menu.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import type { TimelineController } from './controller.ts';
import type { TimelineSettings, TimelineStateStore } from './store.ts';

interface ToolbarProps {
  readonly controller: TimelineController | null;
  readonly settings: StoreApi<TimelineSettings>;
  readonly state: TimelineStateStore;
  readonly disabled: boolean;
}

/** Delay of the search in ms: longer than the time between two keys, but hardly noticeable. */
const SETTLE_MS = 180;

function Search({ controller, state }: Pick<ToolbarProps, 'controller' | 'state'>): ReactElement {
  const [text, setText] = useState('');
  const search = useSelected(state, (now) => now.search);
  useEffect(() => {
    const timer = setTimeout(() => void controller?.search(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [controller, text]);
  const place =
    search === null
      ? ''
      : search.index === null
        ? count(search.count)
        : `${count(search.index + 1)} of ${count(search.reachable)}`;
  return (
    <search className="timeline-search flex center gap-s">
      <input
        className="control text-field wide"
        type="search"
        aria-label="Search spans by name"
        placeholder="Search spans"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          void controller?.goToHit(event.shiftKey ? -1 : 1);
        }}
      />
      {search === null ? null : (
        <>
          <output className="timeline-search__count muted nowrap" data-testid="search-count">
            {search.count === 0 ? 'none' : place}
          </output>
          <IconButton
            icon="up"
            size={14}
            label="Previous span found"
            disabled={search.count === 0}
            onPress={() => void controller?.goToHit(-1)}
          />
          <IconButton
            icon="down"
            size={14}
            label="Next span found"
            disabled={search.count === 0}
            onPress={() => void controller?.goToHit(1)}
          />
        </>
      )}
    </search>
  );
}

function PointerReadout({ state, disabled }: Pick<ToolbarProps, 'state' | 'disabled'>): ReactElement {
  const pointed = useSelected(state, (now) => now.pointed);
  const shown = useSelected(state, (now) => now.shown_ns);
  if (pointed === null) {
    return (
      <span className="panel-readout panel-readout--none timeline-pointed clip">
        {shown > 0 && !disabled
          ? `${timeText(shown)} visible. The wheel zooms, dragging moves, dragging on the ruler selects.`
          : ''}
      </span>
    );
  }
  return (
    <output className="panel-readout timeline-pointed clip" aria-live="off" data-testid="timeline-pointed">
      <b>{exactTime(pointed.ns)}</b>
      {pointed.count > 1 ? <span>{count(pointed.count)} spans, longest</span> : null}
      {pointed.name === null ? null : <span className="timeline-pointed__name clip">{pointed.name}</span>}
      {pointed.duration_ns === null ? null : <b>{timeText(pointed.duration_ns)}</b>}
    </output>
  );
}

export function Toolbar({ controller, settings, state, disabled }: ToolbarProps): ReactElement {
  const { figures } = useWorkbench();
  const { drag, arrows, follow, side } = useSelected(settings, (now) => now);
  return (
    <div className="panel-bar">
      <Search controller={controller} state={state} />
      <PointerReadout state={state} disabled={disabled} />
      <div className="panel-bar__tools">
        <Segmented
          label="Dragging over the lanes"
          value={drag}
          options={[
            { value: 'pan', label: 'Move', title: 'Dragging moves; with Shift it selects a time range' },
            { value: 'select', label: 'Select', title: 'Dragging selects a time range; with Shift it moves' },
          ]}
          onChange={(value) => settings.setState({ drag: value })}
        />
        <IconButton
          icon="plus"
          size={14}
          label="Zoom in (W)"
          disabled={disabled}
          onPress={() => controller?.zoom(0.5)}
        />
        <IconButton
          icon="minus"
          size={14}
          label="Zoom out (S)"
          disabled={disabled}
          onPress={() => controller?.zoom(2)}
        />
        <IconButton
          icon="fit"
          size={14}
          label="Show all (Home)"
          disabled={disabled}
          onPress={() => controller?.showAll()}
        />
        <IconButton
          icon="arrow"
          size={14}
          label="Arrows from launches to their work"
          pressed={arrows}
          onPress={() => settings.setState({ arrows: !arrows })}
        />
        <IconButton
          icon="pin"
          size={14}
          label="Pointing moves the maps to the step under the pointer"
          pressed={follow}
          onPress={() => settings.setState({ follow: !follow })}
        />
        <IconButton
          icon="list"
          size={14}
          label="Details, statistics and summary"
          pressed={side}
          onPress={() => settings.setState({ side: !side })}
        />
        <ExportMenu
          what="Timeline"
          disabled={disabled}
          onChoose={(format) => void figures.save(controller?.figure() ?? null, format)}
        />
      </div>
    </div>
  );
}
