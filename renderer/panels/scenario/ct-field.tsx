/** Matter from a CT: its file, and once that is named the slice, the beam's place in it, and the table. */
import type { ReactElement } from 'react';
import { type Path, valueAt } from '../../../electron/contract/scenario/index.ts';
import { NumberField } from '../../widgets/controls/number-field.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { CtPictureView } from './ct-picture.tsx';
import { Field, Row } from './field.tsx';
import { fieldModel } from './fields.ts';
import { useForm } from './form-context.ts';

function FileField({ path }: { readonly path: Path }): ReactElement | null {
  const form = useForm();
  const field = fieldModel(form.draft, null, [...path, 'file']);
  if (field === null) return null;
  return (
    <Row field={field}>
      {({ describedBy, invalid }) => (
        <TextField
          label="File or folder of a CT"
          placeholder="none; such as ct/thorax"
          value={typeof field.value === 'string' ? field.value : ''}
          invalid={invalid}
          {...(describedBy === undefined ? {} : { describedBy })}
          onChange={(file) => {
            const { file: _, ...rest } = (valueAt(form.draft, path) ?? {}) as Readonly<Record<string, unknown>>;
            form.edit(path, file === '' ? undefined : { file, ...rest }, 'CT', 'ct');
          }}
          onSettle={form.settle}
        />
      )}
    </Row>
  );
}

const AXES = ['first', 'second'] as const;

/** Two numbers, or none: one alone is no point. */
function PointField({ path }: { readonly path: Path }): ReactElement | null {
  const form = useForm();
  const field = fieldModel(form.draft, null, path);
  if (field === null) return null;
  const point: readonly unknown[] = Array.isArray(field.value) ? field.value : [undefined, undefined];
  return (
    <Row field={field}>
      {({ describedBy, invalid }) => (
        <span className="interval">
          {AXES.map((axis, i) => (
            <NumberField
              key={axis}
              label={`${field.title}, ${axis} axis`}
              value={point[i]}
              unit="mm"
              placeholder={null}
              min={-10_000}
              max={10_000}
              invalid={invalid}
              {...(describedBy === undefined ? {} : { describedBy })}
              onChange={(next) => {
                const both = AXES.map((_, k) => (k === i ? next : point[k]) ?? '');
                const none = both.every((value) => value === '');
                form.edit(path, none ? undefined : both, field.title, `${field.key}.${axis}`);
              }}
              onSettle={form.settle}
            />
          ))}
        </span>
      )}
    </Row>
  );
}

export function CtField({ path }: { readonly path: Path }): ReactElement {
  const form = useForm();
  const ct = valueAt(form.draft, path);
  const own = typeof valueAt(ct, ['hu_table']) === 'object';
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be part of the form's grid
    <div className="field-group" role="group" aria-label="CT">
      <h3 className="field-group__title" title="Matter from a slice of a CT in place of the background">
        CT
      </h3>
      <FileField path={path} />
      {ct === undefined ? null : (
        <>
          <Field path={[...path, 'series']} />
          <Field path={[...path, 'plane']} />
          <Field path={[...path, 'at_mm']} />
          <Field path={[...path, 'angle_deg']} />
          <PointField path={[...path, 'isocentre_mm']} />
          <Field path={[...path, 'isocentre_depth_mm']} />
          <CtPictureView path={path} />
          <p className="regions__none">
            {own
              ? 'HU by the table in the file.'
              : "HU by Schneider's materials; a table of your own stands in the file."}
          </p>
        </>
      )}
    </div>
  );
}
