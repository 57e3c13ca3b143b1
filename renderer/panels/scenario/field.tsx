/** One row of the form: name, control, way back to the default, and what is wrong. */
import { type ReactElement, type ReactNode, useId } from 'react';
import type { Path } from '../../../electron/contract/scenario/index.ts';
import { formatNumber, unitSymbols } from '../../../electron/contract/units.ts';
import { IconButton } from '../../widgets/controls/button.tsx';
import { NumberField } from '../../widgets/controls/number-field.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { choicesOf, type FieldModel, fieldModel, issuesAt, numberOr } from './fields.ts';
import { useForm } from './form-context.ts';

interface RowProps {
  readonly field: FieldModel;
  /** Id of the control that the name belongs to. */
  readonly controlId?: string;
  readonly children: (ids: { readonly describedBy: string | undefined; readonly invalid: boolean }) => ReactNode;
  /** Issues of nested values are shown elsewhere. */
  readonly ownFaultsOnly?: boolean;
}

/** Default value, for the reset button's tooltip. */
function defaultText(field: FieldModel): string {
  const { usual, unit } = field;
  if (typeof usual === 'number') return `${formatNumber(Number(usual.toPrecision(6)))} ${unitSymbols[unit]}`.trim();
  if (typeof usual === 'boolean') return usual ? 'yes' : 'no';
  return typeof usual === 'string' ? usual : 'the default';
}

export function Row({ field, controlId, children, ownFaultsOnly = false }: RowProps): ReactElement {
  const form = useForm();
  const faultId = useId();
  const issues = issuesAt(form.issues, field.path).filter((issue) => !ownFaultsOnly || issue.path === field.key);
  const invalid = issues.some((issue) => issue.severity === 'error');
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the row only listens to the focus of the control in it
    <div
      className="field"
      data-path={field.key}
      data-set={field.value !== undefined}
      onFocus={() => form.explain(field)}
    >
      <div className="field__row">
        <label className="field__name" htmlFor={controlId} title={field.description}>
          {field.title}
        </label>
        <div className="field__control">
          {children({ describedBy: issues.length > 0 ? faultId : undefined, invalid })}
        </div>
        <span className="field__reset">
          {field.resettable ? (
            <IconButton
              icon="reset"
              size={12}
              label={`Back to ${defaultText(field)}`}
              onPress={() => form.edit(field.path, undefined, field.title)}
            />
          ) : null}
        </span>
      </div>
      {issues.length === 0 ? null : (
        <div id={faultId} className="field__faults">
          {issues.map((issue) => (
            <p key={issue.message} data-severity={issue.severity}>
              {issue.message}
            </p>
          ))}
        </div>
      )}
    </div>
  );
}

/** Longest row of choices, in letters, that fits on one line next to its name. */
const LETTERS_IN_SIGHT = 20;

function Choice({
  field,
  describedBy,
  invalid,
}: {
  readonly field: FieldModel;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
}): ReactElement {
  const form = useForm();
  const choices = choicesOf(field.schema) ?? [];
  const words = choices.map(String);
  const value = String(field.value ?? field.fallback ?? words[0]);
  const change = (next: string): void => form.edit(field.path, choices[words.indexOf(next)], field.title);
  const fits = words.length <= 3 && words.join('').length <= LETTERS_IN_SIGHT && words.includes(value);
  const described = describedBy === undefined ? {} : { describedBy };
  if (fits) {
    const options = words.map((word) => ({ value: word, label: word }));
    return <Segmented label={field.title} value={value} options={options} onChange={change} {...described} />;
  }
  return (
    <Select
      label={field.title}
      value={value}
      options={words.map((word) => ({ value: word, label: word }))}
      onChange={change}
      invalid={invalid}
      isDefault={field.value === undefined}
      {...described}
    />
  );
}

const switches = [
  { value: 'true', label: 'yes' },
  { value: 'false', label: 'no' },
] as const;

const listText = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value ?? ''));

/** Numbers between commas; text that is none stays, and is marked. */
function readList(text: string): readonly number[] | string | undefined {
  if (text.trim() === '') return undefined;
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  return numbers.every((value) => Number.isFinite(value)) ? numbers : text;
}

function Control({
  field,
  id,
  describedBy,
  invalid,
}: {
  readonly field: FieldModel;
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
}): ReactElement {
  const form = useForm();
  const described = describedBy === undefined ? {} : { describedBy };
  const { schema } = field;
  if (choicesOf(schema) !== null) return <Choice field={field} describedBy={describedBy} invalid={invalid} />;
  if (schema.type === 'boolean') {
    return (
      <Segmented
        label={field.title}
        value={String(field.value ?? field.fallback ?? false)}
        options={switches}
        onChange={(next) => form.edit(field.path, next === 'true', field.title)}
        {...described}
      />
    );
  }
  if (schema.type === 'number' || schema.type === 'integer') {
    return (
      <NumberField
        id={id}
        value={field.value}
        unit={field.unit}
        placeholder={numberOr(field.fallback, null)}
        min={schema.minimum ?? Number.NEGATIVE_INFINITY}
        max={schema.maximum ?? Number.POSITIVE_INFINITY}
        whole={schema.type === 'integer'}
        invalid={invalid}
        {...described}
        onChange={(value) => form.edit(field.path, value, field.title, field.key)}
        onSettle={form.settle}
      />
    );
  }
  if (typeof schema.items === 'object' && schema.items.type === 'number') {
    return (
      <TextField
        id={id}
        value={listText(field.value)}
        placeholder={listText(field.fallback)}
        invalid={invalid}
        {...described}
        onChange={(text) => form.edit(field.path, readList(text), field.title, field.key)}
        onSettle={form.settle}
      />
    );
  }
  return (
    <TextField
      id={id}
      value={typeof field.value === 'string' ? field.value : ''}
      placeholder={typeof field.fallback === 'string' ? field.fallback : ''}
      invalid={invalid}
      {...described}
      onChange={(value) => form.edit(field.path, value === '' ? undefined : value, field.title, field.key)}
      onSettle={form.settle}
    />
  );
}

/** The field at a path, with the control that its schema asks for; nothing where the schema has no such field. */
export function Field({ path }: { readonly path: Path }): ReactElement | null {
  const form = useForm();
  const id = useId();
  const field = fieldModel(form.draft, form.resolved?.scenario ?? null, path);
  if (field === null) return null;
  return (
    <Row field={field} controlId={id}>
      {({ describedBy, invalid }) => <Control field={field} id={id} describedBy={describedBy} invalid={invalid} />}
    </Row>
  );
}
