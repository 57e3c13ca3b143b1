/** Issues in a file or document: location, error, and allowed values. */
import type { ReactElement } from 'react';
import type { Issue } from '../../../electron/contract/errors.ts';
import { Icon } from './icon.tsx';
import './issue-list.css';

interface IssueListProps {
  readonly issues: readonly Issue[];
  /** If set, pressing an issue calls this to navigate to its field. */
  readonly onChoose?: (issue: Issue) => void;
}

/** Location such as `water.json:3:17`, as in editors and terminals. */
function placeOf(issue: Issue): string {
  const { file, line, column } = issue;
  return [file, line, line === null ? null : column].filter((part) => part !== null).join(':');
}

export function IssueList({ issues, onChoose }: IssueListProps): ReactElement {
  return (
    <ul className="issue-list grid gap-s">
      {issues.map((issue) => {
        const body = (
          <>
            <Icon name={issue.severity === 'error' ? 'error' : 'warning'} size={13} />
            <span className="issue-list__text ink break-anywhere">
              {issue.path === '' ? null : <code>{issue.path}</code>}
              <span>{issue.message}</span>
              {placeOf(issue) === '' ? null : <span className="issue-list__place faint small">{placeOf(issue)}</span>}
            </span>
          </>
        );
        return (
          <li
            key={`${placeOf(issue)} ${issue.path} ${issue.message}`}
            className="issue-list__item"
            data-severity={issue.severity}
          >
            {onChoose === undefined ? (
              body
            ) : (
              <button type="button" className="hoverable grow rounded" onClick={() => onChoose(issue)}>
                {body}
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
