/**
 * A row of the form: name, control, reset button and issues. The row of the implementation lists the variants, with
 * reasons why some cannot run.
 */
import { type ReactElement, type ReactNode, useId, useState } from 'react';
import type { Capabilities, Variant } from '../../../electron/contract/capabilities.ts';
import { type JsonSchema, kindOfDocument, type Path } from '../../../electron/contract/scenario/index.ts';
import { formatNumber, unitSymbols } from '../../../electron/domain/values/units.ts';
import { IconButton } from '../../widgets/controls/button.tsx';
import { NumberField } from '../../widgets/controls/number-field.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { MenuButton, type MenuItem } from '../../widgets/floating/menu.tsx';
import { Icon } from '../../widgets/words/icon.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import {
  choicesOf,
  type FieldModel,
  fieldModel,
  formulaOf,
  isFormula,
  issuesAt,
  numberOr,
  splitAtCommas,
  useForm,
} from './fields.ts';

interface RowProps {
  readonly field: FieldModel;
  /** Id of the control that the label belongs to. */
  readonly controlId?: string;
  readonly children: (ids: { readonly describedBy: string | undefined; readonly invalid: boolean }) => ReactNode;
  /** Issues of nested values are shown elsewhere. */
  readonly ownIssuesOnly?: boolean;
}

/** Default value, for the reset button's tooltip. */
function defaultText(field: FieldModel): string {
  const { displayedDefault, unit } = field;
  if (typeof displayedDefault === 'number')
    return `${formatNumber(Number(displayedDefault.toPrecision(6)))} ${unitSymbols[unit]}`.trim();
  if (typeof displayedDefault === 'boolean') return displayedDefault ? 'yes' : 'no';
  return typeof displayedDefault === 'string' ? displayedDefault : 'the default';
}

const resetText = (field: FieldModel): string =>
  field.displayedDefault === undefined ? `Leave out ${field.title}` : `Back to ${defaultText(field)}`;

export function Row({ field, controlId, children, ownIssuesOnly = false }: RowProps): ReactElement {
  const form = useForm();
  const faultId = useId();
  const issues = issuesAt(form.issues, field.path).filter((issue) => !ownIssuesOnly || issue.path === field.key);
  const invalid = issues.some((issue) => issue.severity === 'error');
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the row only listens to the focus of the control in it
    <div
      className="field"
      data-path={field.key}
      data-set={field.value !== undefined}
      onFocus={() => form.explain(field)}
    >
      <div className="field__row center grid gap-s">
        <label className="field__name" htmlFor={controlId} title={field.description}>
          {field.title}
        </label>
        <div className="field__control grid">
          {children({ describedBy: issues.length > 0 ? faultId : undefined, invalid })}
        </div>
        <span className="field__reset">
          {field.resettable ? (
            <IconButton
              icon="reset"
              size={12}
              label={resetText(field)}
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

/** Maximum total number of letters with which options are shown side by side next to the label. */
const MAX_INLINE_LETTERS = 20;

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
  const value = String(field.value ?? field.currentDefault ?? words[0]);
  const change = (next: string): void => form.edit(field.path, choices[words.indexOf(next)], field.title);
  const fits = words.length <= 3 && words.join('').length <= MAX_INLINE_LETTERS && words.includes(value);
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

/** Comma-separated numbers; invalid text is retained and marked. */
function readList(text: string): readonly number[] | string | undefined {
  if (text.trim() === '') return undefined;
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  return numbers.every((value) => Number.isFinite(value)) ? numbers : text;
}

/**
 * A list of comma-separated formulas, or of texts on separate lines. Typed text is retained until the field loses
 * focus.
 */
function TextsField({
  field,
  id,
  describedBy,
  invalid,
  items,
}: {
  readonly field: FieldModel;
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
  readonly items: JsonSchema;
}): ReactElement {
  const form = useForm();
  const [typed, setTyped] = useState<string | null>(null);
  const onLines = !isFormula(items);
  const values: readonly unknown[] = Array.isArray(field.value) ? field.value : [];
  const change = (text: string): void => {
    setTyped(text);
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const next = onLines ? lines : splitAtCommas(text).map(formulaOf);
    form.edit(field.path, next.length === 0 && field.resettable ? undefined : next, field.title, field.key);
  };
  return (
    <TextField
      id={id}
      value={typed ?? values.join(onLines ? '\n' : ', ')}
      placeholder={onLines ? 'one per line' : 'none'}
      {...(onLines && { lines: Math.max(2, Math.min(6, values.length + 1)) })}
      invalid={invalid}
      {...(describedBy === undefined ? {} : { describedBy })}
      onChange={change}
      onEditEnd={() => {
        setTyped(null);
        form.endEdit();
      }}
    />
  );
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
        value={String(field.value ?? field.currentDefault ?? false)}
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
        placeholder={numberOr(field.currentDefault, null)}
        min={schema.minimum ?? Number.NEGATIVE_INFINITY}
        max={schema.maximum ?? Number.POSITIVE_INFINITY}
        whole={schema.type === 'integer'}
        invalid={invalid}
        {...described}
        onChange={(value) => form.edit(field.path, value, field.title, field.key)}
        onEditEnd={form.endEdit}
      />
    );
  }
  if (isFormula(schema)) {
    return (
      <TextField
        id={id}
        value={field.value === undefined ? '' : String(field.value)}
        placeholder={field.currentDefault === undefined ? '' : String(field.currentDefault)}
        invalid={invalid}
        {...described}
        onChange={(text) =>
          form.edit(field.path, text.trim() === '' ? undefined : formulaOf(text), field.title, field.key)
        }
        onEditEnd={form.endEdit}
      />
    );
  }
  const items = typeof schema.items === 'object' ? schema.items : {};
  if (items.type === 'string' || isFormula(items)) {
    return <TextsField field={field} id={id} describedBy={describedBy} invalid={invalid} items={items} />;
  }
  if (items.type === 'number' || items.type === 'integer') {
    return (
      <TextField
        id={id}
        value={listText(field.value)}
        placeholder={listText(field.currentDefault)}
        invalid={invalid}
        {...described}
        onChange={(text) => form.edit(field.path, readList(text), field.title, field.key)}
        onEditEnd={form.endEdit}
      />
    );
  }
  return (
    <TextField
      id={id}
      value={typeof field.value === 'string' ? field.value : ''}
      placeholder={typeof field.currentDefault === 'string' ? field.currentDefault : ''}
      invalid={invalid}
      {...described}
      onChange={(value) => form.edit(field.path, value === '' ? undefined : value, field.title, field.key)}
      onEditEnd={form.endEdit}
    />
  );
}

/** Field at a path with the control for its schema; null if the schema has no such field. */
export function Field({ path, title }: { readonly path: Path; readonly title?: string }): ReactElement | null {
  const form = useForm();
  const id = useId();
  const found = fieldModel(form.draft, form.resolved?.scenario ?? null, path);
  if (found === null) return null;
  const field = title === undefined ? found : { ...found, title };
  return (
    <Row field={field} controlId={id}>
      {({ describedBy, invalid }) => <Control field={field} id={id} describedBy={describedBy} invalid={invalid} />}
    </Row>
  );
}

type VariantReasons = ReadonlyMap<string, string | null>;

/**
 * Options for all variants. CPU variants have individual reasons; without a GPU the CUDA variants share a reason, shown
 * once above them.
 */
function variantItems(
  variants: readonly Variant[],
  refusals: VariantReasons,
  cuda: Capabilities['devices']['cuda'],
  chosen: string,
  choose: (id: string) => void,
): readonly MenuItem[] {
  const cpu = variants.filter((variant) => variant.device === 'cpu');
  const gpu = variants.filter((variant) => variant.device === 'cuda');
  const item = (variant: Variant, heading: string | null): MenuItem => {
    const refusal = refusals.get(variant.id) ?? null;
    const shared = variant.device === 'cuda' && !cuda.available;
    return {
      id: variant.id,
      label: `${variant.id} – ${variant.title}`,
      detail: refusal === null || shared ? variant.changes : `Not available: ${refusal}`,
      disabled: refusal !== null,
      checked: chosen === variant.id,
      startsGroup: heading !== null,
      ...(heading === null || heading === '' ? {} : { heading }),
      onChoose: () => choose(variant.id),
    };
  };
  const gpuHeading = cuda.available ? 'CUDA' : `CUDA, not available: ${cuda.reason ?? 'there is no device.'}`;
  return [
    ...cpu.map((variant, index) => item(variant, index === 0 ? 'CPU' : null)),
    ...gpu.map((variant, index) => item(variant, index === 0 ? gpuHeading : null)),
  ];
}

export function VariantField({ path }: { readonly path: Path }): ReactElement | null {
  const form = useForm();
  const id = useId();
  const { stores } = useWorkbench();
  const variants = useSelected(stores.connection, (state) => state.capabilities.variants);
  const cuda = useSelected(stores.connection, (state) => state.capabilities.devices.cuda);
  const field = fieldModel(form.draft, form.resolved?.scenario ?? null, path);
  if (field === null) return null;
  const { resolved } = form;
  const kind = kindOfDocument(form.draft);
  const own = variants.filter((variant) => variant.workload === kind);
  const value = String(field.value ?? field.currentDefault ?? 'auto');
  const refusals = new Map(resolved?.variants.map((each) => [each.id, each.refusal]));
  const choose = (next: string): void => form.edit(path, next === 'auto' ? undefined : next, field.title);
  const shown = value === 'auto' && resolved !== null ? `auto – ${resolved.variant}` : value;
  return (
    <Row field={field} controlId={id}>
      {() => (
        <MenuButton
          label={`Variant: ${shown}`}
          className="control variant-button flex center gap-s wide"
          align="end"
          wide
          items={[
            {
              id: 'auto',
              label: 'auto',
              detail:
                resolved === null
                  ? 'The fastest variant that fits'
                  : `The fastest variant that fits, now ${resolved.variant}`,
              checked: value === 'auto',
              onChoose: () => choose('auto'),
            },
            ...variantItems(own, refusals, cuda, value, choose),
          ]}
        >
          <span className="clip nowrap grow">{shown}</span>
          <Icon name="chevron" size={12} />
        </MenuButton>
      )}
    </Row>
  );
}
