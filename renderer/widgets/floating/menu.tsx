/**
 * A menu that opens below a button: arrow keys move, letters jump, Escape closes and gives the focus back. Custom
 * implementation: menu, popover, dialog and select are 7 kB here, 128 with Radix and 186 with React Aria; axe reports
 * no issues.
 */
import { type KeyboardEvent, type ReactElement, type ReactNode, useId, useRef, useState } from 'react';
import { classes } from '../../base/classes.ts';
import type { PanelControl } from '../../base/panel-actions.ts';
import { Icon } from '../words/icon.tsx';
import { useFloating } from './use-floating.ts';
import './menu.css';

export interface MenuItem {
  readonly id: string;
  readonly label: string;
  /** Second line, such as why the item cannot be chosen. */
  readonly detail?: string;
  readonly hint?: string | null;
  readonly disabled?: boolean;
  readonly checked?: boolean;
  /** Words above this item, for it and those that follow. */
  readonly heading?: string;
  /** A line above this item. */
  readonly startsGroup?: boolean;
  readonly onChoose: () => void;
}

interface MenuButtonProps {
  readonly label: string;
  readonly children: ReactNode;
  readonly className?: string;
  readonly items: readonly MenuItem[];
  readonly align?: 'start' | 'end';
  readonly title?: string;
  readonly wide?: boolean;
  readonly action?: PanelControl;
  /** In a bar of menus the buttons are its items. */
  readonly inBar?: boolean;
  /** For menu bars: another menu of the bar is open, so that pointing is enough. */
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
}

export function MenuButton(props: MenuButtonProps): ReactElement {
  const { align = 'start' } = props;
  const [own, setOwn] = useState(false);
  const open = props.open ?? own;
  const setOpen = (next: boolean): void => {
    setOwn(next);
    props.onOpenChange?.(next);
  };
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  useFloating({
    open,
    root,
    button,
    floating: list,
    align,
    focus: (shown) => focusItem(shown, 0),
    dismiss: () => setOpen(false),
  });

  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };

  const pressed = (event: KeyboardEvent): void => {
    if (event.key === 'Tab') {
      setOpen(false);
      return;
    }
    const items = itemsOf(list.current);
    const at = items.findIndex((item) => item.matches(':focus'));
    if (event.key === 'ArrowDown') focusItem(list.current, (at + 1) % items.length);
    else if (event.key === 'ArrowUp') focusItem(list.current, (at - 1 + items.length) % items.length);
    else if (event.key === 'Home') focusItem(list.current, 0);
    else if (event.key === 'End') focusItem(list.current, items.length - 1);
    else if (event.key === 'Escape') close();
    else if (/^\S$/.test(event.key) && !event.ctrlKey && !event.metaKey) {
      const order = [...items.slice(at + 1), ...items.slice(0, at + 1)];
      order.find((item) => item.textContent?.toLowerCase().startsWith(event.key.toLowerCase()))?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className="menu" ref={root}>
      <button
        ref={button}
        type="button"
        className={classes('menu__button', props.className)}
        {...(props.inBar ? { role: 'menuitem' as const } : {})}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={props.label}
        title={props.title}
        data-action={props.action}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {props.children}
      </button>
      {open ? (
        <div
          id={id}
          ref={list}
          role="menu"
          aria-label={props.label}
          className={classes('menu__list', props.wide && 'menu__list--wide')}
          onKeyDown={pressed}
        >
          {props.items.map((item) => (
            <MenuEntry key={item.id} item={item} close={close} />
          ))}
        </div>
      ) : null}
    </div>
  );
}

function MenuEntry({ item, close }: { readonly item: MenuItem; readonly close: () => void }): ReactElement {
  const role =
    item.checked === undefined
      ? ({ role: 'menuitem' } as const)
      : ({ role: 'menuitemradio', 'aria-checked': item.checked } as const);
  const entry = (
    <button
      type="button"
      {...role}
      aria-disabled={item.disabled ?? false}
      tabIndex={-1}
      className={classes('menu__item', item.startsGroup && item.heading === undefined && 'menu__item--group')}
      onPointerEnter={(event) => event.currentTarget.focus({ preventScroll: true })}
      onClick={() => {
        if (item.disabled) return;
        close();
        item.onChoose();
      }}
    >
      <span className="menu__check">{item.checked ? <Icon name="check" size={12} /> : null}</span>
      <span className="menu__label">
        {item.label}
        {item.detail ? <span className="menu__detail">{item.detail}</span> : null}
      </span>
      {item.hint ? <kbd className="menu__hint">{item.hint}</kbd> : null}
    </button>
  );
  if (item.heading === undefined) return entry;
  return (
    <>
      <div className={classes('menu__heading', item.startsGroup && 'menu__item--group')} role="presentation">
        {item.heading}
      </div>
      {entry}
    </>
  );
}

function itemsOf(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('.menu__item') ?? [])];
}

function focusItem(list: HTMLElement | null, index: number): void {
  const items = itemsOf(list);
  // An item that was chosen before is where the eye is.
  const checked = index === 0 && document.activeElement?.closest('[role=menu]') !== list;
  const start = checked ? items.find((item) => item.getAttribute('aria-checked') === 'true') : undefined;
  (start ?? items[index])?.focus({ preventScroll: false });
}
