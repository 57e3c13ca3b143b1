/** A field for one or several lines of text. */
import type { ReactElement } from 'react';
import './controls.css';

interface TextFieldProps {
  readonly id?: string;
  readonly label?: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly lines?: number;
  readonly invalid?: boolean;
  readonly describedBy?: string;
  readonly autoFocus?: boolean;
  readonly onChange: (value: string) => void;
  readonly onEditEnd?: () => void;
}

export function TextField(props: TextFieldProps): ReactElement {
  const shared = {
    id: props.id,
    className: 'control text-field wide',
    'aria-label': props.label,
    'aria-invalid': props.invalid ?? false,
    'aria-describedby': props.describedBy,
    value: props.value,
    placeholder: props.placeholder,
    'data-autofocus': props.autoFocus ? '' : undefined,
    onBlur: props.onEditEnd,
  };
  if (props.lines !== undefined && props.lines > 1) {
    return <textarea {...shared} rows={props.lines} onChange={(event) => props.onChange(event.target.value)} />;
  }
  return (
    <input
      {...shared}
      type="text"
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => props.onChange(event.target.value)}
    />
  );
}
