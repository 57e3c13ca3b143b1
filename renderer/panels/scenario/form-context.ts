/** Context of the form's fields: the document, its issues, and edits. */
import { createContext, useContext } from 'react';
import type { Issue } from '../../../electron/contract/errors.ts';
import type { ScenarioDraft } from '../../../electron/contract/scenario/draft.ts';
import type { Path } from '../../../electron/contract/scenario/index.ts';
import type { Resolved } from '../../../electron/contract/scenarios.ts';
import type { FieldModel } from './fields.ts';

export interface Form {
  readonly draft: ScenarioDraft;
  readonly resolved: Resolved | null;
  readonly issues: readonly Issue[];
  edit(path: Path, value: unknown, label: string, key?: string | null): void;
  settle(): void;
  /** The field that the help below the form speaks of. */
  explain(field: FieldModel | null): void;
}

export const FormContext = createContext<Form | null>(null);

export function useForm(): Form {
  const form = useContext(FormContext);
  if (form === null) throw new Error('this field stands outside the scenario form');
  return form;
}
