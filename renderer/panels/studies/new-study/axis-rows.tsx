/** User-defined axes: the parameter and its values. */
import { type ReactElement, useMemo, useRef } from 'react';
import type { ScenarioDraft } from '../../../../electron/contract/scenario/workload.ts';
import { Button, IconButton } from '../../../widgets/controls/button.tsx';
import { Segmented } from '../../../widgets/controls/segmented.tsx';
import { Select } from '../../../widgets/controls/select.tsx';
import { TextField } from '../../../widgets/controls/text-field.tsx';
import {
  type AxisDraft,
  type AxisKind,
  axisAround,
  axisIssue,
  defaultAxisPath,
  pathsIn,
  unitAt,
} from './axis-draft.ts';

const kinds: readonly { readonly value: AxisKind; readonly label: string }[] = [
  { value: 'list', label: 'List' },
  { value: 'range', label: 'Range' },
  { value: 'log', label: 'Logarithmic' },
];

interface AxisRowProps {
  readonly axis: AxisDraft;
  readonly paths: readonly string[];
  readonly unit: string;
  readonly onChange: (axis: AxisDraft) => void;
  readonly onPath: (path: string) => void;
  readonly onRemove: () => void;
}

function AxisRow({ axis, paths, unit, onChange, onPath, onRemove }: AxisRowProps): ReactElement {
  const field = (key: 'from' | 'to' | 'count', label: string): ReactElement => (
    <span className="studies__number">
      <TextField
        label={`${label} of ${axis.path}`}
        placeholder={label}
        value={axis[key]}
        onChange={(text) => onChange({ ...axis, [key]: text })}
      />
    </span>
  );
  const issue = axisIssue(axis);
  return (
    <li className="studies__axis flex center wrap">
      <Select
        label="What changes"
        value={axis.path}
        options={[...new Set([axis.path, ...paths])].map((path) => ({ value: path, label: path }))}
        onChange={onPath}
      />
      <Segmented
        label={`How ${axis.path} changes`}
        value={axis.kind}
        options={kinds}
        onChange={(kind) => onChange({ ...axis, kind })}
      />
      {axis.kind === 'list' ? (
        <span className="studies__list grow">
          <TextField
            label={`Values of ${axis.path}`}
            placeholder="60, 70, 80"
            value={axis.values}
            onChange={(values) => onChange({ ...axis, values })}
          />
        </span>
      ) : (
        <>
          <span className="muted">from</span>
          {field('from', 'from')}
          <span className="muted">to</span>
          {field('to', 'to')}
        </>
      )}
      <span className="muted">{unit}</span>
      {axis.kind === 'list' ? null : (
        <>
          <span className="muted">in</span>
          {field('count', 'count')}
          <span className="muted">points</span>
        </>
      )}
      <IconButton icon="close" label={`Remove the axis ${axis.path}`} onPress={onRemove} />
      {issue === null ? null : <p className="studies__fault">{issue}</p>}
    </li>
  );
}

interface AxisRowsProps {
  readonly axes: readonly AxisDraft[];
  /** Scenario document: complete if it has no errors. */
  readonly document: unknown;
  /** Scenario that the study starts from; its schema defines the units. */
  readonly base: ScenarioDraft;
  readonly onChange: (axes: readonly AxisDraft[]) => void;
}

export function AxisRows({ axes, document, base, onChange }: AxisRowsProps): ReactElement {
  const next = useRef(1);
  const paths = useMemo(() => pathsIn(document), [document]);
  const put = (axis: AxisDraft): void => onChange(axes.map((one) => (one.id === axis.id ? axis : one)));
  const add = (): void => {
    onChange([...axes, axisAround(next.current, document, defaultAxisPath(document, paths))]);
    next.current += 1;
  };
  return (
    <>
      <ul className="studies__axes grid gap-s" aria-label="Axes">
        {axes.map((axis) => (
          <AxisRow
            key={axis.id}
            axis={axis}
            paths={paths}
            unit={unitAt(base, axis.path)}
            onChange={put}
            onPath={(path) => put(axisAround(axis.id, document, path))}
            onRemove={() => onChange(axes.filter((one) => one.id !== axis.id))}
          />
        ))}
      </ul>
      <Button icon="plus" onPress={add}>
        Add an axis
      </Button>
    </>
  );
}
