/** What the field that has the focus means. */
import type { ReactElement } from 'react';
import { formatNumber, unitSymbols } from '../../../electron/contract/units.ts';
import type { FieldModel } from './fields.ts';

export function FieldHelp({ field }: { readonly field: FieldModel | null }): ReactElement {
  if (field === null) {
    return (
      <div className="field-help">
        <p>Grey values are defaults; type to set your own. Choose a field to read what it does.</p>
      </div>
    );
  }
  const fallback =
    typeof field.usual === 'number'
      ? `${formatNumber(Number(field.usual.toPrecision(6)))} ${unitSymbols[field.unit]}`.trim()
      : typeof field.usual === 'string' && field.usual !== ''
        ? field.usual
        : null;
  return (
    <div className="field-help" aria-live="polite">
      <p>{field.description}</p>
      <p className="field-help__facts">
        <code>{field.key}</code>
        <span>{field.allowed}</span>
        {fallback === null ? null : <span>default {fallback}</span>}
      </p>
    </div>
  );
}
