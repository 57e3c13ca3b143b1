/** Goes through the stored moments of a run; while it computes, says where it is. */
import type { CSSProperties, ReactElement } from 'react';
import { fixed } from '../../base/numbers.ts';
import type { ShownMap } from '../../data/run-data.ts';
import { IconButton } from '../../widgets/controls/button.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

const PAGE = 10;

export function Scrubber({ shown }: { readonly shown: ShownMap | null }): ReactElement {
  const { stores } = useWorkbench();
  const { frames, index, playing } = useSelected(stores.playback, (state) => state);
  // What the maps show, which follows the slider as the frames come.
  const at = shown ?? frames[index] ?? null;
  const words = at === null ? '' : `step ${at.step}, depth ${fixed(at.depth_mm, 2)} mm`;
  return (
    <div className="scrubber">
      <IconButton
        icon={playing ? 'pause' : 'run'}
        size={14}
        label={playing ? 'Pause' : 'Play the stored steps'}
        shortcut="Alt+P"
        disabled={frames.length < 2}
        onPress={() => stores.playback.toggle()}
      />
      <input
        type="range"
        className="scrubber__track"
        style={{ '--at': frames.length < 2 ? 0 : index / (frames.length - 1) } as CSSProperties}
        aria-label="Stored step"
        aria-valuetext={words}
        min={0}
        max={Math.max(0, frames.length - 1)}
        step={1}
        value={index}
        disabled={frames.length < 2}
        onChange={(event) => stores.playback.go(Number(event.target.value))}
        onKeyDown={(event) => {
          const leap = event.key === 'PageUp' ? PAGE : event.key === 'PageDown' ? -PAGE : 0;
          if (leap === 0) return;
          event.preventDefault();
          stores.playback.go(index + leap);
        }}
      />
      <output className="scrubber__place" aria-live="off" data-testid="phase-step">
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
      </output>
    </div>
  );
}
