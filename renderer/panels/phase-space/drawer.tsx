/** What was marked on one of the maps. */
import { type ReactElement, useMemo } from 'react';
import type { RunInfo } from '../../../electron/contract/run.ts';
import type { ScaleKind } from '../../drawing/normalisation.ts';
import { runNotes } from '../../state/runs.ts';
import { MapDrawer } from '../../widgets/plots/map-drawer.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { cacheKey } from './maps.ts';
import type { PhaseViewStore } from './store.ts';

interface DrawerProps {
  readonly run: RunInfo | null;
  readonly view: PhaseViewStore;
  readonly scale: ScaleKind;
}

export function Drawer({ run, view, scale }: DrawerProps): ReactElement | null {
  const { data, scheduler, figures } = useWorkbench();
  const marked = useSelected(view, (state) => state.marked);
  const shown = useCached(data.maps, cacheKey(marked?.slot ?? 'a'));
  const { step, depth_mm, field } = shown ?? {};
  const notes = useMemo(
    () => ({ ...runNotes(run), ...(step !== undefined && { step }), ...(depth_mm !== undefined && { depth_mm }) }),
    [run, step, depth_mm],
  );
  if (marked === null || field === undefined) return null;
  return (
    <MapDrawer
      field={field}
      mark={marked.mark}
      scale={scale}
      scheduler={scheduler}
      name={`${run?.name ?? 'run'}-step-${step}`}
      notes={notes}
      onExport={(figure, format) => void figures.save(figure, format)}
      onClose={() => view.setState({ marked: null })}
    />
  );
}
