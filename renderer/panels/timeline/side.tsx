/** Beside the lanes: the chosen span, the selected time, or what each timeline says at a glance. */
import type { ReactElement } from 'react';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { useSelected } from '../../workbench/context.ts';
import type { TimelineController } from './controller.ts';
import { SelectionDetails } from './selection-details.tsx';
import { ChosenDetails } from './span-details.tsx';
import type { TimelineStateStore } from './store.ts';
import { Summaries } from './summaries.tsx';
import { NotesTab } from './told/notes-tab.tsx';
import { StepsTab } from './told/steps-tab.tsx';

interface SideProps {
  readonly controller: TimelineController | null;
  readonly state: TimelineStateStore;
}

export function Side({ controller, state }: SideProps): ReactElement {
  const tab = useSelected(state, (now) => now.tab);
  return (
    <aside className="timeline-side" aria-label="About the timeline">
      <Segmented
        label="About the timeline"
        value={tab}
        options={[
          { value: 'span', label: 'Span' },
          { value: 'selection', label: 'Selection' },
          { value: 'steps', label: 'Steps' },
          { value: 'notes', label: 'Notes' },
          { value: 'summary', label: 'Summary' },
        ]}
        onChange={(value) => state.setState({ tab: value })}
      />
      {/* Scrolled by keyboard too. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable */}
      <section className="timeline-side__body" tabIndex={0} aria-label={`Timeline: ${tab}`}>
        {tab === 'span' ? (
          <ChosenDetails controller={controller} state={state} />
        ) : tab === 'selection' ? (
          <SelectionDetails controller={controller} state={state} />
        ) : tab === 'steps' ? (
          <StepsTab controller={controller} state={state} />
        ) : tab === 'notes' ? (
          <NotesTab controller={controller} state={state} />
        ) : (
          <Summaries controller={controller} state={state} />
        )}
      </section>
    </aside>
  );
}
