/** Controls for the playback of a sequence: a play button and a position slider. */
import type { CSSProperties, ReactElement, ReactNode } from 'react';
import { IconButton } from './button.tsx';
import './controls.css';

const PAGE = 10;

interface ScrubberProps {
  /** Accessible names of the play button and of the slider. */
  readonly plays: string;
  readonly label: string;
  /** Position in words, for screen readers. */
  readonly words: string;
  readonly shortcut?: string;
  readonly index: number;
  readonly count: number;
  readonly playing: boolean;
  readonly testId?: string;
  readonly onToggle: () => void;
  readonly onGo: (index: number) => void;
  /** Position as shown next to the slider. */
  readonly children: ReactNode;
}

export function Scrubber(props: ScrubberProps): ReactElement {
  const { plays, label, words, shortcut, index, count, playing, testId, onToggle, onGo, children } = props;
  const none = count < 2;
  return (
    <div className="scrubber flex center gap-l line-above">
      <IconButton
        icon={playing ? 'pause' : 'run'}
        size={14}
        label={playing ? 'Pause' : plays}
        shortcut={shortcut ?? null}
        disabled={none}
        onPress={onToggle}
      />
      <input
        type="range"
        className="scrubber__track grow"
        style={{ '--at': none ? 0 : index / (count - 1) } as CSSProperties}
        aria-label={label}
        aria-valuetext={words}
        min={0}
        max={Math.max(0, count - 1)}
        step={1}
        value={index}
        disabled={none}
        onChange={(event) => onGo(Number(event.target.value))}
        onKeyDown={(event) => {
          const leap = event.key === 'PageUp' ? PAGE : event.key === 'PageDown' ? -PAGE : 0;
          if (leap === 0) return;
          event.preventDefault();
          onGo(Math.min(count - 1, Math.max(0, index + leap)));
        }}
      />
      <output className="scrubber__place flex muted nowrap" aria-live="off" data-testid={testId}>
        {children}
      </output>
    </div>
  );
}
