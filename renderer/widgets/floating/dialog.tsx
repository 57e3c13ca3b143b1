/** A modal dialog: the browser's own element, which keeps the focus inside and the rest inert. */
import { type ReactElement, type ReactNode, useEffect, useId, useRef } from 'react';
import './dialog.css';

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Buttons, the main one last. */
  readonly actions: ReactNode;
  readonly size?: 'small' | 'large';
  /** Escape and the way out in general. */
  readonly onDismiss: () => void;
  /** Enter in a field. */
  readonly onSubmit?: () => void;
}

export function Dialog({ title, children, actions, size = 'small', onDismiss, onSubmit }: DialogProps): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) element.showModal();
    // showModal puts the focus on the first control; the one that was meant comes after it.
    element?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={`dialog dialog--${size}`}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onDismiss();
      }}
    >
      <form
        className="dialog__form"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit?.();
        }}
      >
        <h2 id={heading} className="dialog__title">
          {title}
        </h2>
        <div className="dialog__body">{children}</div>
        <div className="dialog__actions">{actions}</div>
      </form>
    </dialog>
  );
}
