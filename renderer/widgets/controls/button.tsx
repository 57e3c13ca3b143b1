/** Buttons with text or with an icon only. */
import type { ReactElement, ReactNode, Ref } from 'react';
import { classes } from '../../base/classes.ts';
import type { PanelControl } from '../../base/panel-actions.ts';
import './controls.css';
import { Icon, type IconName } from '../words/icon.tsx';

interface ButtonProps {
  readonly children: ReactNode;
  readonly icon?: IconName;
  readonly tone?: 'normal' | 'primary' | 'danger' | 'quiet';
  readonly disabled?: boolean;
  readonly title?: string;
  /** State of a toggle button; undefined for other buttons. */
  readonly pressed?: boolean;
  readonly onPress: () => void;
  readonly autoFocus?: boolean;
  /** Name by which the command palette finds the button. */
  readonly action?: PanelControl;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ children, icon, tone = 'normal', ...rest }: ButtonProps): ReactElement {
  const { onPress, pressed, autoFocus, action, ...button } = rest;
  return (
    <button
      type="button"
      className={classes('button', `button--${tone}`)}
      aria-pressed={pressed}
      onClick={onPress}
      data-autofocus={autoFocus ? '' : undefined}
      data-action={action}
      {...button}
    >
      {icon === undefined ? null : <Icon name={icon} size={14} />}
      <span>{children}</span>
    </button>
  );
}

interface IconButtonProps {
  readonly icon: IconName;
  /** Accessible name, also shown as a tooltip with the shortcut. */
  readonly label: string;
  /** Tooltip text instead of the label. */
  readonly tip?: string;
  readonly shortcut?: string | null;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly size?: number;
  readonly action?: PanelControl;
  readonly onPress: () => void;
}

export function IconButton(props: IconButtonProps): ReactElement {
  const { icon, label, tip = label, shortcut, pressed, size, onPress, disabled } = props;
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      title={shortcut ? `${tip} (${shortcut})` : tip}
      aria-pressed={pressed}
      data-action={props.action}
      disabled={disabled}
      onClick={onPress}
    >
      <Icon name={icon} size={size ?? 16} />
    </button>
  );
}
