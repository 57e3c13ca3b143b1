/** A box to tick, with what it is of and what it is likely to take. */
import type { ReactElement } from 'react';

export function toggled<T>(list: readonly T[], value: T, on: boolean): T[] {
  const rest = list.filter((one) => one !== value);
  return on ? [...rest, value] : rest;
}

interface TickProps {
  readonly label: string;
  readonly detail?: string;
  /** Expected time. */
  readonly time?: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (on: boolean) => void;
}

export function Tick({ label, detail, time = '', checked, disabled = false, onChange }: TickProps): ReactElement {
  return (
    <label className="compare-tick" data-disabled={disabled}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        {label}
        {detail === undefined ? null : <small>{detail}</small>}
        {time === '' ? null : <small className="compare-tick__time">{time}</small>}
      </span>
    </label>
  );
}
