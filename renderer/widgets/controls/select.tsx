/** A drop-down list that uses the native element, which works with every keyboard and screen reader. */
import type { ReactElement } from 'react';
import type { PanelControl } from '../../base/panel-actions.ts';
import { Icon } from '../words/icon.tsx';
import './controls.css';

interface SelectOption {
  readonly value: string;
  readonly label: string;
  readonly disabled?: boolean;
}

interface SelectProps {
  readonly id?: string;
  /** Accessible name if no visible label is associated. */
  readonly label?: string;
  readonly value: string;
  readonly options: readonly SelectOption[];
  readonly onChange: (value: string) => void;
  readonly invalid?: boolean;
  readonly describedBy?: string;
  /** True to show the value faintly, because it is a default. */
  readonly isDefault?: boolean;
  readonly title?: string;
  readonly action?: PanelControl;
}

export function Select(props: SelectProps): ReactElement {
  const known = props.options.some((option) => option.value === props.value);
  return (
    <span className="select relative" data-default={props.isDefault ?? false}>
      <select
        className="control"
        id={props.id}
        aria-label={props.label}
        aria-invalid={props.invalid ?? false}
        aria-describedby={props.describedBy}
        title={props.title}
        data-action={props.action}
        value={props.value}
        onChange={(event) => props.onChange(event.target.value)}
      >
        {known ? null : <option value={props.value}>{props.value}</option>}
        {props.options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="chevron" size={12} />
    </span>
  );
}
