/**
 * A field for a number with its unit. Text that is not a number is passed on unchanged, so that the schema reports the
 * error.
 */
import { type KeyboardEvent, type PointerEvent, type ReactElement, useRef, useState } from 'react';
import { formatNumber, type Unit, unitSymbols } from '../../../electron/domain/values/units.ts';
import { moveBySteps, nudge, parseEntry } from '../../base/entry.ts';
import './controls.css';

interface NumberFieldProps {
  readonly id?: string;
  readonly label?: string;
  /** Value in the document: a number, invalid text, or missing (the default applies). */
  readonly value: unknown;
  readonly unit: Unit;
  /** Current default, shown if there is no value. */
  readonly placeholder: number | null;
  readonly min: number;
  readonly max: number;
  readonly whole?: boolean;
  readonly invalid?: boolean;
  readonly describedBy?: string;
  /** Called with every key. Undefined restores the default; text that is not a number is passed unchanged. */
  readonly onChange: (value: number | string | undefined) => void;
  /** Called when an edit of the field is complete. */
  readonly onEditEnd?: () => void;
}

/** Pointer movement in CSS pixels for one arrow-key step. */
const DRAG_PIXELS = 4;

function textOfValue(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'number' ? formatNumber(value) : typeof value === 'string' ? value : JSON.stringify(value);
}

export function NumberField(props: NumberFieldProps): ReactElement {
  const { value, unit, placeholder } = props;
  // Typed text with the value that it was parsed to: `1.` is 1, but must stay `1.` in the field.
  const [typed, setTyped] = useState<{ readonly text: string; readonly value: unknown } | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const held = useRef<{ readonly x: number; readonly value: number } | null>(null);
  const text = typed !== null && Object.is(typed.value, value) ? typed.text : textOfValue(value);

  const enter = (next: string): void => {
    const parsed = next.trim() === '' ? undefined : (parseEntry(next, unit) ?? next);
    setTyped({ text: next, value: parsed });
    props.onChange(parsed);
  };
  const endEdit = (): void => {
    setTyped(null);
    props.onEditEnd?.();
  };
  const pressed = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') endEdit();
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    const from = typeof value === 'number' ? value : placeholder;
    if (from === null || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const size = event.shiftKey ? 'coarse' : event.altKey ? 'fine' : 'normal';
    const bounds = { min: props.min, max: props.max, whole: props.whole ?? false };
    setTyped(null);
    props.onChange(nudge(from, event.key === 'ArrowUp' ? 1 : -1, size, bounds));
  };

  const from = typeof value === 'number' ? value : placeholder;
  const canDrag = from !== null && Number.isFinite(from);
  const grab = (event: PointerEvent<HTMLElement>): void => {
    if (!canDrag || event.button !== 0) return;
    // Keep focus in the active field, so that its typed text is not lost.
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    setTyped(null);
    held.current = { x: event.clientX, value: from };
  };
  const drag = (event: PointerEvent<HTMLElement>): void => {
    if (held.current === null) return;
    const steps = Math.trunc((event.clientX - held.current.x) / DRAG_PIXELS);
    if (steps === 0) return;
    const size = event.shiftKey ? 'coarse' : event.altKey ? 'fine' : 'normal';
    const bounds = { min: props.min, max: props.max, whole: props.whole ?? false };
    const next = moveBySteps(held.current.value, steps, size, bounds);
    held.current = { x: held.current.x + steps * DRAG_PIXELS, value: next };
    props.onChange(next);
  };
  const release = (): void => {
    if (held.current === null) return;
    held.current = null;
    props.onEditEnd?.();
  };

  const symbol = unitSymbols[unit];
  return (
    <span className="control number-field flex center" data-default={value === undefined}>
      <input
        className="grow wide text-right"
        ref={input}
        id={props.id}
        type="text"
        inputMode="decimal"
        autoComplete="off"
        spellCheck={false}
        aria-label={props.label}
        aria-invalid={props.invalid ?? false}
        aria-describedby={props.describedBy}
        value={text}
        placeholder={placeholder === null ? '' : formatNumber(Number(placeholder.toPrecision(6)))}
        onChange={(event) => enter(event.target.value)}
        onKeyDown={pressed}
        onFocus={() => input.current?.select()}
        onBlur={endEdit}
      />
      {/* Reserve the space without a unit too, so that digits in a column of fields align. */}
      <span
        className="number-field__unit rigid faint"
        title={
          canDrag
            ? 'Drag to change the value: with Shift in large steps, with Alt in small ones. The arrow keys do the same in the field.'
            : undefined
        }
        data-drag={canDrag}
        onPointerDown={grab}
        onPointerMove={drag}
        onPointerUp={release}
        onPointerCancel={release}
      >
        {symbol === '' && canDrag ? '↔' : symbol}
      </span>
    </span>
  );
}
