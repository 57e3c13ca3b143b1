/** A few exclusive options, all visible. */
import { type ReactElement, useId } from 'react';
import './controls.css';

interface SegmentedOption<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly title?: string;
}

interface SegmentedProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly SegmentedOption<T>[];
  readonly onChange: (value: T) => void;
  /** Also called if the pressed option was already selected. */
  readonly onPressed?: () => void;
  readonly describedBy?: string;
}

export function Segmented<T extends string>(props: SegmentedProps<T>): ReactElement {
  const name = useId();
  return (
    <div
      className="segmented flex rounded"
      role="radiogroup"
      aria-label={props.label}
      aria-describedby={props.describedBy}
    >
      {props.options.map((option) => (
        <label key={option.value} className="segmented__option flex relative" title={option.title}>
          <input
            className="overlay"
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === props.value}
            onChange={() => props.onChange(option.value)}
            onClick={props.onPressed}
          />
          <span className="flex center grow muted nowrap">{option.label}</span>
        </label>
      ))}
    </div>
  );
}
