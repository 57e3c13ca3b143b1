/** Goes through the stored moments of a run; while it computes, says where it is. */
import type { ReactElement } from 'react';
import { fixed } from '../../base/numbers.ts';
import type { ShownMap } from '../../data/run-data.ts';
import { Scrubber } from '../../widgets/controls/scrubber.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

export function StoredSteps({ shown }: { readonly shown: ShownMap | null }): ReactElement {
  const { stores } = useWorkbench();
  const { frames, index, playing } = useSelected(stores.playback, (state) => state);
  // What the maps show, which follows the slider as the frames come.
  const at = shown ?? frames[index] ?? null;
  return (
    <Scrubber
      plays="Play the stored steps"
      label="Stored step"
      words={at === null ? '' : `step ${at.step}, depth ${fixed(at.depth_mm, 2)} mm`}
      shortcut="Alt+P"
      index={index}
      count={frames.length}
      playing={playing}
      testId="phase-step"
      onToggle={() => stores.playback.toggle()}
      onGo={(next) => stores.playback.go(next)}
    >
      {at === null ? (
        '–'
      ) : (
        <>
          <span>
            step <b>{at.step}</b>
          </span>
          <span>
            depth <b>{fixed(at.depth_mm, 2)}</b> mm
          </span>
          <span className="scrubber__count">{frames.length === 0 ? 'live' : `${index + 1} / ${frames.length}`}</span>
        </>
      )}
    </Scrubber>
  );
}
