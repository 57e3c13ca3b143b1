/** A few exclusive choices, all in sight. */
import { type ReactElement, useId } from 'react';
import './segmented.css';

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
  /** Called also where the choice stays as it was. */
  readonly onPressed?: () => void;
  readonly describedBy?: string;
}

export function Segmented<T extends string>(props: SegmentedProps<T>): ReactElement {
  const name = useId();
  return (
    <div className="segmented" role="radiogroup" aria-label={props.label} aria-describedby={props.describedBy}>
      {props.options.map((option) => (
        <label key={option.value} className="segmented__option" title={option.title}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === props.value}
            onChange={() => props.onChange(option.value)}
            onClick={props.onPressed}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </div>
  );
}
