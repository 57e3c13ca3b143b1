/** A small panel of controls below a button. Escape or a press elsewhere closes the panel. */
import { type KeyboardEvent, type ReactElement, type ReactNode, useId, useRef, useState } from 'react';
import type { PanelControl } from '../../base/panel-actions.ts';
import { Icon, type IconName } from '../words/icon.tsx';
import { useFloating } from './use-floating.ts';
import './floating.css';

interface PopoverProps {
  /** Accessible name of the button and the panel. */
  readonly label: string;
  /** Text on the button; if missing, only the icon is shown. */
  readonly text?: string;
  readonly icon?: IconName;
  /** True if a setting in the panel differs from its default. */
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
    <div className="popover relative" ref={root}>
      <button
        ref={button}
        type="button"
        className={text === undefined ? 'icon-button' : 'button button--normal'}
        // The accessible name must contain the visible text, for users of voice control.
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
        <div
          id={id}
          ref={panel}
          className="popover__panel stack gap-l scroll ink floating"
          role="dialog"
          aria-label={label}
          onKeyDown={pressed}
        >
          {children}
        </div>
      ) : null}
    </div>
  );
}

/** A control of a popover with its name. */
export function PopoverRow({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactElement {
  return (
    <div className="popover__row center grid gap-l">
      <span className="muted">{name}</span>
      <div className="popover__control flex center wrap gap-m">{children}</div>
    </div>
  );
}
