/** Faults at the head of the form: how many are marked below, and in full those that no field can show. */
import { type ReactElement, useState } from 'react';
import type { Issue } from '../../../electron/contract/errors.ts';
import type { ScenarioDraft } from '../../../electron/contract/scenario/draft.ts';
import { kindOfDocument, type Path, parsePath, schemaAt } from '../../../electron/contract/scenario/index.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { IssueList } from '../../widgets/words/issue-list.tsx';
import { useForm } from './form-context.ts';

interface FormIssuesProps {
  readonly issues: readonly Issue[];
  /** Goes to the field of an issue. */
  readonly lead: (issue: Issue) => void;
}

/** Whether the form has a field for this path: keys that the schema does not know have none. */
function hasField(path: Path | null, draft: ScenarioDraft): boolean {
  return path !== null && path.length > 1 && schemaAt(kindOfDocument(draft), path, draft) !== null;
}

/** How many values are at fault and how many are only to beware of. */
export function issueCount(issues: readonly Issue[]): string {
  const errors = issues.filter((issue) => issue.severity === 'error').length;
  const warnings = issues.length - errors;
  const beware = warnings === 1 ? 'one warning' : `${warnings} warnings`;
  if (errors === 0) return beware.replace('one', 'One');
  const wrong = errors === 1 ? 'One value needs attention' : `${errors} values need attention`;
  return warnings === 0 ? wrong : `${wrong}, ${beware}`;
}

export function FormIssues({ issues, lead }: FormIssuesProps): ReactElement | null {
  const { draft } = useForm();
  const [next, setNext] = useState(0);
  const inFields = issues.filter((issue) => hasField(parsePath(issue.path), draft));
  const others = issues.filter((issue) => !inFields.includes(issue));
  if (issues.length === 0) return null;
  const severity = issues.some((issue) => issue.severity === 'error') ? 'error' : 'warning';
  const go = (): void => {
    const issue = inFields[next % inFields.length];
    if (issue !== undefined) lead(issue);
    setNext((at) => (at + 1) % Math.max(1, inFields.length));
  };
  return (
    <div className="scenario-panel__issues" data-severity={severity} role="status">
      {others.length === 0 ? null : <IssueList issues={others} onChoose={lead} />}
      {inFields.length === 0 ? null : (
        <p className="scenario-panel__count">
          {issueCount(inFields)}
          <Button tone="quiet" icon="down" onPress={go}>
            {inFields.length === 1 ? 'Show' : 'Next'}
          </Button>
        </p>
      )}
    </div>
  );
}
