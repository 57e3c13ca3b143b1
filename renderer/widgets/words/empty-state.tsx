/** Placeholder of a panel that has nothing to show, with a suggested action. */
import type { ReactElement, ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';
import './words.css';

interface EmptyStateProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  /** Suggested action; null if the user can only wait. */
  readonly action: ReactNode;
  readonly tone?: 'normal' | 'error';
}

export function EmptyState({ icon, title, children, action, tone = 'normal' }: EmptyStateProps): ReactElement {
  return (
    <div
      className="empty-state center stack gap-m muted"
      data-tone={tone}
      role={tone === 'error' ? 'alert' : undefined}
    >
      <Icon name={icon} size={22} />
      <p className="empty-state__title">
        <b>{title}</b>
      </p>
      {children === undefined ? null : <div className="empty-state__text">{children}</div>}
      {action}
    </div>
  );
}
