/** Fields with several possible shapes: energy grid, initial state, stopping-power table. */
import { type ReactElement, useId } from 'react';
import {
  formatPath,
  isWithin,
  type JsonSchema,
  type Path,
  parsePath,
  valueAt,
} from '../../../electron/contract/scenario/index.ts';
import { IconButton } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { Field, Row } from './field.tsx';
import { fieldModel, isOptional, useForm } from './fields.ts';
import { ListField } from './list-field.tsx';

function branchesOf(schema: JsonSchema): readonly JsonSchema[] {
  return schema.oneOf ?? schema.anyOf ?? [];
}

function kindOf(branch: JsonSchema): string {
  return String(branch.properties?.['kind']?.const ?? '');
}

/** Selection of `kind`, and below it the fields of that kind. */
function KindField({ path }: { readonly path: Path }): ReactElement | null {
  const form = useForm();
  const id = useId();
  const field = fieldModel(form.draft, form.resolved?.scenario ?? null, path);
  if (field === null) return null;
  const branches = branchesOf(field.schema);
  const kind = String(valueAt(field.value, ['kind']) ?? valueAt(field.currentDefault, ['kind']) ?? '');
  const branch = branches.find((each) => kindOf(each) === kind);
  const keys = Object.keys(branch?.properties ?? {}).filter((key) => key !== 'kind');
  const none = isOptional(form.draft, path) ? [{ value: '', label: 'none' }] : [];
  return (
    <>
      <Row field={field} controlId={id} ownIssuesOnly>
        {({ describedBy, invalid }) => (
          <Select
            id={id}
            value={kind}
            options={[...none, ...branches.map((each) => ({ value: kindOf(each), label: each.title ?? kindOf(each) }))]}
            onChange={(next) => form.edit(path, next === '' ? undefined : { kind: next }, field.title)}
            invalid={invalid}
            isDefault={field.value === undefined}
            {...(describedBy === undefined ? {} : { describedBy })}
          />
        )}
      </Row>
      {keys.map((key) => (
        <SchemaField key={`${kind}.${key}`} path={[...path, key]} />
      ))}
    </>
  );
}

/** Group of the values in an object, below the object's name. */
function GroupField({ path, schema }: { readonly path: Path; readonly schema: JsonSchema }): ReactElement {
  const id = useId();
  const form = useForm();
  const title = schema.title ?? String(path.at(-1));
  const isSet = isOptional(form.draft, path) && valueAt(form.draft, path) !== undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be part of the form's grid
    <div className="field-group" role="group" aria-labelledby={id}>
      <h3 id={id} className="field-group__title" title={schema.description}>
        {title}
        {isSet ? (
          <IconButton
            icon="reset"
            size={12}
            label={`Leave out ${title}`}
            onPress={() => form.edit(path, undefined, title)}
          />
        ) : null}
      </h3>
      {Object.keys(schema.properties ?? {}).map((key) => (
        <SchemaField key={key} path={[...path, key]} />
      ))}
    </div>
  );
}

/** An object with arbitrary keys, such as sizes of axes. A missing key is reported as an issue. */
function RecordField({ path, schema }: { readonly path: Path; readonly schema: JsonSchema }): ReactElement {
  const id = useId();
  const form = useForm();
  const value = valueAt(form.draft, path);
  const missing = form.issues.flatMap((issue) => {
    const at = parsePath(issue.path) ?? [];
    return at.length > path.length && isWithin(at, path) ? [String(at[path.length])] : [];
  });
  const keys = new Set([...Object.keys(typeof value === 'object' && value !== null ? value : {}), ...missing]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be part of the form's grid
    <div className="field-group" role="group" aria-labelledby={id} data-path={formatPath(path)}>
      <h3 id={id} className="field-group__title" title={schema.description}>
        {schema.title ?? String(path.at(-1))}
      </h3>
      {[...keys].map((key) => (
        <Field key={key} path={[...path, key]} title={key} />
      ))}
    </div>
  );
}

/** Field at a path by its schema: choice of kinds, group, list of entries, or single value. */
export function SchemaField({ path }: { readonly path: Path }): ReactElement | null {
  const form = useForm();
  const field = fieldModel(form.draft, form.resolved?.scenario ?? null, path);
  if (field === null) return null;
  const { schema } = field;
  if (branchesOf(schema).some((branch) => kindOf(branch) !== '')) return <KindField path={path} />;
  if (typeof schema.additionalProperties === 'object') return <RecordField path={path} schema={schema} />;
  if (schema.type === 'object') return <GroupField path={path} schema={schema} />;
  if (typeof schema.items === 'object' && schema.items.type === 'object')
    return (
      <ListField path={path} entry={schema.items}>
        {(inner) => <SchemaField key={formatPath(inner)} path={inner} />}
      </ListField>
    );
  return <Field path={path} />;
}

const OWN_TABLE = 'file';

const tableTitles: Readonly<Record<string, string>> = {
  icru49: 'ICRU 49 (NIST PSTAR)',
  icru90: 'ICRU 90',
};

/** A named table, or a file name in the scenario's folder. */
export function TableField({ path }: { readonly path: Path }): ReactElement | null {
  const form = useForm();
  const id = useId();
  const field = fieldModel(form.draft, form.resolved?.scenario ?? null, path);
  if (field === null) return null;
  const words = branchesOf(field.schema).flatMap((branch) => (branch.enum ?? []).map(String));
  const file = valueAt(field.value, [OWN_TABLE]);
  const isFile = field.value !== undefined && typeof field.value === 'object';
  const value = isFile ? OWN_TABLE : String(field.value ?? field.currentDefault ?? '');
  return (
    <>
      <Row field={field} controlId={id}>
        {({ describedBy, invalid }) => (
          <Select
            id={id}
            value={value}
            options={[
              ...words.map((word) => ({ value: word, label: tableTitles[word] ?? word })),
              { value: OWN_TABLE, label: 'Your own table…' },
            ]}
            onChange={(next) => form.edit(path, next === OWN_TABLE ? { file: '' } : next, field.title)}
            invalid={invalid}
            isDefault={field.value === undefined}
            {...(describedBy === undefined ? {} : { describedBy })}
          />
        )}
      </Row>
      {isFile ? (
        <div className="field">
          <div className="field__row center grid gap-s">
            <label className="field__name" htmlFor={`${id}-file`}>
              File
            </label>
            <div className="field__control grid">
              <TextField
                id={`${id}-file`}
                value={typeof file === 'string' ? file : ''}
                placeholder="tables/mine.csv"
                onChange={(next) => form.edit([...path, OWN_TABLE], next, 'Table', 'stopping-table')}
                onEditEnd={form.endEdit}
              />
            </div>
            <span className="field__reset" />
          </div>
        </div>
      ) : null}
    </>
  );
}
