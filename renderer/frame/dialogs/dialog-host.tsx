/** Shows the open dialog. */
import { lazy, type ReactElement, Suspense } from 'react';
import type { DialogKinds } from '../../state/dialogs.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Dialog } from '../../widgets/floating/dialog.tsx';
import { IssueList } from '../../widgets/words/issue-list.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import PaletteDialog from './palette-dialog.tsx';

/** Props of a question with a few answers, and the issues that it concerns. */
interface ConfirmDialogProps {
  readonly request: DialogKinds['confirm']['request'];
  readonly answer: (id: string | null) => void;
}

function ConfirmDialog({ request, answer }: ConfirmDialogProps): ReactElement {
  const { title, text, issues = [], choices } = request;
  const primary = choices.find((choice) => choice.tone === 'primary');
  return (
    <Dialog
      title={title}
      size={issues.length > 0 ? 'large' : 'small'}
      onDismiss={() => answer(null)}
      onSubmit={() => primary !== undefined && answer(primary.id)}
      actions={choices.map((choice) => (
        <Button
          key={choice.id}
          tone={choice.tone ?? 'normal'}
          autoFocus={choice === primary}
          onPress={() => answer(choice.id)}
        >
          {choice.label}
        </Button>
      ))}
    >
      <p>{text}</p>
      {issues.length === 0 ? null : (
        <div className="dialog-issues scroll rounded sunken">
          <IssueList issues={issues} />
        </div>
      )}
    </Dialog>
  );
}

const PickDialog = lazy(() => import('./pick-dialog.tsx'));
const NameDialog = lazy(() => import('./name-dialog.tsx'));
const NewKernelDialog = lazy(() => import('./new-kernel-dialog.tsx'));
const ShortcutsDialog = lazy(() => import('./shortcuts-dialog.tsx'));
const DiffDialog = lazy(() => import('./diff-dialog.tsx'));
const LabelsDialog = lazy(() => import('./labels-dialog.tsx'));
const RecoverDialog = lazy(() => import('./recover-dialog.tsx'));
const LogDialog = lazy(() => import('./log-dialog.tsx'));
const ConnectDialog = lazy(() => import('./connect-dialog.tsx'));
const AboutDialog = lazy(() => import('./about-dialog.tsx'));

export function DialogHost(): ReactElement | null {
  const { stores } = useWorkbench();
  const open = useSelected(stores.dialogs, (state) => state.open);
  if (open === null) return null;
  const shown = (): ReactElement => {
    switch (open.kind) {
      case 'confirm':
        return <ConfirmDialog request={open.request} answer={open.answer} />;
      case 'pick':
        return <PickDialog request={open.request} answer={open.answer} />;
      case 'name':
        return <NameDialog request={open.request} answer={open.answer} />;
      case 'begin':
        return <NewKernelDialog request={open.request} answer={open.answer} />;
      case 'palette':
        return <PaletteDialog answer={open.answer} />;
      case 'diff':
        return <DiffDialog request={open.request} close={() => open.answer(null)} />;
      case 'labels':
        return <LabelsDialog request={open.request} answer={open.answer} />;
      case 'recover':
        return <RecoverDialog request={open.request} close={() => open.answer(null)} />;
      case 'log':
        return <LogDialog request={open.request} close={() => open.answer(null)} />;
      case 'connect':
        return <ConnectDialog request={open.request} close={() => open.answer(null)} />;
      case 'shortcuts':
        return <ShortcutsDialog close={() => open.answer(null)} />;
      case 'about':
        return <AboutDialog close={() => open.answer(null)} />;
    }
  };
  return <Suspense key={open.id}>{shown()}</Suspense>;
}
