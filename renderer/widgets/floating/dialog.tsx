/** A modal dialog based on the browser's element, which traps focus and makes the page behind it inert. */
import { type ReactElement, type ReactNode, useEffect, useId, useRef } from 'react';
import './floating.css';

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Buttons, the main one last. */
  readonly actions: ReactNode;
  readonly size?: 'small' | 'large';
  /** Called on Escape and other ways to dismiss the dialog. */
  readonly onDismiss: () => void;
  /** Called on Enter in a field. */
  readonly onSubmit?: () => void;
}

export function Dialog({ title, children, actions, size = 'small', onDismiss, onSubmit }: DialogProps): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) element.showModal();
    // showModal focuses the first control, so focus the intended control afterwards.
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
        className="dialog__form stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit?.();
        }}
      >
        <h2 id={heading} className="dialog__title">
          {title}
        </h2>
        <div className="dialog__body grow scroll muted">{children}</div>
        <div className="dialog__actions flex wrap gap-l">{actions}</div>
      </form>
    </dialog>
  );
}
