/** A small panel of controls that opens below a button; Escape and a press elsewhere close it. */
import { type KeyboardEvent, type ReactElement, type ReactNode, useId, useRef, useState } from 'react';
import type { PanelControl } from '../../base/panel-actions.ts';
import { Icon, type IconName } from '../words/icon.tsx';
import { useFloating } from './use-floating.ts';
import './popover.css';

interface PopoverProps {
  /** Name of the button and of the panel. */
  readonly label: string;
  /** Words on the button; missing: its icon alone. */
  readonly text?: string;
  readonly icon?: IconName;
  /** Something in it differs from what it starts with. */
  readonly active?: boolean;
  readonly action?: PanelControl;
  readonly children: ReactNode;
}

export function Popover({ label, text, icon, active = false, action, children }: PopoverProps): ReactElement {
  const [open, setOpen] = useState(false);
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useFloating({
    open,
    root,
    button,
    floating: panel,
    align: 'end',
    focus: (shown) => shown.querySelector<HTMLElement>('input:checked, select, input, button')?.focus(),
    dismiss: () => setOpen(false),
  });

  const pressed = (event: KeyboardEvent): void => {
    if (!open || event.key !== 'Escape') return;
    event.stopPropagation();
    setOpen(false);
    button.current?.focus();
  };

  return (
    <div className="popover" ref={root}>
      <button
        ref={button}
        type="button"
        className={text === undefined ? 'icon-button' : 'button button--normal'}
        // Who speaks to the page says what is written on the button.
        aria-label={text === undefined || label.includes(text) ? label : `${text}: ${label}`}
        title={label}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        data-active={active}
        data-action={action}
        onClick={() => setOpen(!open)}
        onKeyDown={pressed}
      >
        {icon === undefined ? null : <Icon name={icon} size={14} />}
        {text === undefined ? null : <span>{text}</span>}
      </button>
      {open ? (
        <div id={id} ref={panel} className="popover__panel" role="dialog" aria-label={label} onKeyDown={pressed}>
          {children}
        </div>
      ) : null}
    </div>
  );
}

/** One named control of a popover. */
export function PopoverRow({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactElement {
  return (
    <div className="popover__row">
      <span className="popover__name">{name}</span>
      <div className="popover__control">{children}</div>
    </div>
  );
}
