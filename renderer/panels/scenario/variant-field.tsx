/** The implementation that runs, with the reason for each that cannot. */
import { type ReactElement, useId } from 'react';
import type { Path } from '../../../electron/contract/scenario/index.ts';
import { Icon } from '../../widgets/icon.tsx';
import { MenuButton } from '../../widgets/menu.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { Row } from './field.tsx';
import { fieldModel } from './fields.ts';
import { useForm } from './form-context.ts';

export function VariantField({ path }: { readonly path: Path }): ReactElement | null {
  const form = useForm();
  const id = useId();
  const { stores } = useWorkbench();
  const variants = useSelected(stores.connection, (state) => state.capabilities.variants);
  const field = fieldModel(form.draft, form.resolved?.scenario ?? null, path);
  if (field === null) return null;
  const { resolved } = form;
  const value = String(field.value ?? field.fallback ?? 'auto');
  const refusals = new Map(resolved?.variants.map((each) => [each.id, each.refusal]));
  const choose = (next: string): void => form.edit(path, next === 'auto' ? undefined : next, field.title);
  const shown = value === 'auto' && resolved !== null ? `auto – ${resolved.variant}` : value;
  return (
    <Row field={field} controlId={id}>
      {() => (
        <MenuButton
          label={`Variant: ${shown}`}
          className="variant-button"
          align="end"
          wide
          items={[
            {
              id: 'auto',
              label: 'auto',
              detail: resolved === null ? 'The fastest that fits' : `The fastest that fits: ${resolved.variant} now`,
              checked: value === 'auto',
              onChoose: () => choose('auto'),
            },
            ...variants
              .filter((variant) => variant.workload === 'transport')
              .map((variant, index) => {
                const refusal = refusals.get(variant.id) ?? null;
                return {
                  id: variant.id,
                  label: `${variant.id} – ${variant.title}`,
                  detail: refusal === null ? variant.changes : `Not here: ${refusal}`,
                  hint: variant.device === 'cuda' ? 'CUDA' : null,
                  disabled: refusal !== null,
                  checked: value === variant.id,
                  startsGroup: index === 0,
                  onChoose: () => choose(variant.id),
                };
              }),
          ]}
        >
          <span className="variant-button__text">{shown}</span>
          <Icon name="chevron" size={12} />
        </MenuButton>
      )}
    </Row>
  );
}
