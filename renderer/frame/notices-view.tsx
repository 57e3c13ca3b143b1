/** Notices, newest last: those that pass stand over the corner, those that stay take room of their own. */
import type { ReactElement } from 'react';
import { type Notice, passes } from '../state/notices.ts';
import { Button, IconButton } from '../widgets/controls/button.tsx';
import { Icon, type IconName } from '../widgets/words/icon.tsx';
import { IssueList } from '../widgets/words/issue-list.tsx';
import { useSelected, useWorkbench } from '../workbench/context.ts';

const icons: Readonly<Record<Notice['tone'], IconName>> = {
  info: 'info',
  success: 'done',
  warning: 'warning',
  error: 'error',
};

function NoticeView({ notice }: { readonly notice: Notice }): ReactElement {
  const { stores } = useWorkbench();
  return (
    <div className="notice" data-tone={notice.tone} role={notice.tone === 'error' ? 'alert' : undefined}>
      <Icon name={icons[notice.tone]} />
      <div className="notice__body selectable">
        <p className="notice__title">{notice.title}</p>
        {notice.text === '' ? null : <p>{notice.text}</p>}
        {notice.action === null ? null : (
          <Button
            onPress={() => {
              stores.notices.dismiss(notice.id);
              notice.action?.run();
            }}
          >
            {notice.action.label}
          </Button>
        )}
        {notice.issues.length === 0 ? null : <IssueList issues={notice.issues.slice(0, 6)} />}
      </div>
      <IconButton icon="close" size={12} label="Dismiss" onPress={() => stores.notices.dismiss(notice.id)} />
    </div>
  );
}

export function NoticesView(): ReactElement {
  const { stores } = useWorkbench();
  const notices = useSelected(stores.notices, (state) => state.notices);
  const all = (of: readonly Notice[]): readonly ReactElement[] =>
    of.map((notice) => <NoticeView key={notice.id} notice={notice} />);
  return (
    <section className="notices" aria-label="Notices" aria-live="polite">
      <div className="notices__passing">{all(notices.filter(passes))}</div>
      <div className="notices__staying">{all(notices.filter((notice) => !passes(notice)))}</div>
    </section>
  );
}
