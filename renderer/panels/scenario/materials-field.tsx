/** User materials: name, formula or mass fractions, density, I. */
import { type ReactElement, useState } from 'react';
import { type Path, parseFormula, valueAt } from '../../../electron/contract/scenario/index.ts';
import { maxUserMaterials } from '../../../electron/contract/scenario/transport/geometry.ts';
import { IconButton } from '../../widgets/controls/button.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { Field } from './field.tsx';
import { fieldModel, issuesAt, useForm } from './fields.ts';

/** Matches one mass fraction, such as `H 0.112` or `H: 0.112`. */
const FRACTION = /^([A-Za-z]{1,2})\s*[:= ]\s*(\S+)$/;

/** `C5H8O2`, or `H 0.112, O 0.888`. */
export function compositionText(material: unknown): string {
  const formula = valueAt(material, ['formula']);
  if (formula !== undefined) return String(formula);
  const composition = valueAt(material, ['composition']);
  if (typeof composition !== 'object' || composition === null) return '';
  return Object.entries(composition)
    .map(([symbol, fraction]) => `${symbol} ${String(fraction)}`)
    .join(', ');
}

/** Mass fractions in a text; null if it contains none. Invalid numbers stay text, which the schema rejects. */
function fractionsIn(text: string): Readonly<Record<string, unknown>> | null {
  const parts = text.split(/[,;\n]+/).map((part) => part.trim());
  const pairs = parts.filter((part) => part !== '').map((part) => FRACTION.exec(part));
  if (pairs.length === 0 || pairs.some((pair) => pair === null)) return null;
  return Object.fromEntries(
    pairs.map((pair) => {
      const number = Number(pair?.[2]);
      return [pair?.[1] ?? '', Number.isFinite(number) ? number : pair?.[2]];
    }),
  );
}

/**
 * Sets the material's composition from text. Text that is neither a formula nor mass fractions is stored as an invalid
 * formula.
 */
export function setComposition(material: unknown, text: string, parseFormula: (formula: string) => unknown): object {
  const { formula: _, composition: __, ...rest } = (material ?? {}) as Readonly<Record<string, unknown>>;
  const fractions = parseFormula(text) === null ? fractionsIn(text) : null;
  return fractions === null ? { ...rest, formula: text } : { ...rest, composition: fractions };
}

/** Composition on one line: a formula or mass fractions. The text is not reformatted during typing. */
function CompositionField({ path, index }: { readonly path: Path; readonly index: number }): ReactElement {
  const form = useForm();
  const material = valueAt(form.draft, path);
  const [typed, type] = useState<string | null>(null);
  const issues = ['formula', 'composition'].flatMap((key) => issuesAt(form.issues, [...path, key]));
  return (
    <div className="field" data-path={`geometry.materials[${index}].formula`}>
      <div className="field__row center grid gap-s">
        <span className="field__name" title="A formula, such as C5H8O2, or mass fractions, such as H 0.112, O 0.888">
          Made of
        </span>
        <div className="field__control grid">
          <TextField
            label={`Formula or mass fractions of material ${index + 1}`}
            placeholder="C5H8O2, or H 0.112, O 0.888"
            value={typed ?? compositionText(material)}
            invalid={issues.length > 0}
            onChange={(text) => {
              type(text);
              form.edit(path, setComposition(material, text, parseFormula), 'Composition', `made of ${index}`);
            }}
            onEditEnd={() => {
              type(null);
              form.endEdit();
            }}
          />
        </div>
        <span className="field__reset" />
      </div>
      {issues.map((issue) => (
        <p key={issue.message} className="field__faults">
          {issue.message}
        </p>
      ))}
    </div>
  );
}

function MaterialCard({ path, index }: { readonly path: Path; readonly index: number }): ReactElement {
  const form = useForm();
  const list = path.slice(0, -1);
  const all = (fieldModel(form.draft, null, list)?.value ?? []) as readonly unknown[];
  const named = issuesAt(form.issues, [...path, 'name']);
  const remove = (): void => {
    const rest = all.filter((_, i) => i !== index);
    form.edit(list, rest.length === 0 ? undefined : rest, 'Remove material');
  };
  return (
    <li
      className="region grid sunken"
      data-invalid={issuesAt(form.issues, path).some((issue) => issue.severity === 'error')}
    >
      <div className="region__head flex center" data-path={`geometry.materials[${index}].name`}>
        <span className="faint">{index + 1}</span>
        <TextField
          label={`Name of material ${index + 1}`}
          value={String(valueAt(form.draft, [...path, 'name']) ?? '')}
          invalid={named.length > 0}
          onChange={(name) => form.edit([...path, 'name'], name, 'Material name', `material ${index}`)}
          onEditEnd={form.endEdit}
        />
        <IconButton icon="trash" size={13} label={`Remove material ${index + 1}`} onPress={remove} />
      </div>
      {named.map((issue) => (
        <p key={issue.message} className="field__faults">
          {issue.message}
        </p>
      ))}
      <CompositionField path={path} index={index} />
      <Field path={[...path, 'density_g_cm3']} />
      <Field path={[...path, 'mean_excitation_eV']} />
    </li>
  );
}

export function UserMaterialsField({ path }: { readonly path: Path }): ReactElement | null {
  const form = useForm();
  const field = fieldModel(form.draft, null, path);
  if (field === null) return null;
  const materials: readonly unknown[] = Array.isArray(field.value) ? field.value : [];
  const names = materials.map((each) => valueAt(each, ['name']));
  const free = Array.from({ length: materials.length + 1 }, (_, i) => `material-${i + 1}`).find(
    (name) => !names.includes(name),
  );
  const add = (): void => {
    const next = { name: free, formula: 'C5H8O2', density_g_cm3: 1.19 };
    form.edit(path, [...materials, next], 'Add material');
  };
  return (
    <div className="regions" data-path={field.key}>
      <div className="regions__head between flex center">
        <span className="field__name" title={field.description}>
          {field.title}
        </span>
        <IconButton
          icon="plus"
          size={13}
          label="Add a user material"
          action="add"
          disabled={materials.length >= maxUserMaterials}
          onPress={add}
        />
      </div>
      {materials.length === 0 ? (
        <p className="faint">None: the built-in materials.</p>
      ) : (
        <ol className="regions__list grid gap-m">
          {materials.map((_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: its position identifies a material
            <MaterialCard key={index} path={[...path, index]} index={index} />
          ))}
        </ol>
      )}
    </div>
  );
}
