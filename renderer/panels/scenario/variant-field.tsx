/** The implementation that runs, with the reason for each that cannot. */
import { type ReactElement, useId } from 'react';
import type { Capabilities, Variant } from '../../../electron/contract/capabilities.ts';
import { kindOfDocument, type Path } from '../../../electron/contract/scenario/index.ts';
import { MenuButton, type MenuItem } from '../../widgets/floating/menu.tsx';
import { Icon } from '../../widgets/words/icon.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { Row } from './field.tsx';
import { fieldModel } from './fields.ts';
import { useForm } from './form-context.ts';

type Refusals = ReadonlyMap<string, string | null>;

/** CPU variants each with its own reason; without a GPU the CUDA variants share one, said once above them. */
function variantItems(
  variants: readonly Variant[],
  refusals: Refusals,
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
      detail: refusal === null || shared ? variant.changes : `Not here: ${refusal}`,
      disabled: refusal !== null,
      checked: chosen === variant.id,
      startsGroup: heading !== null,
      ...(heading === null || heading === '' ? {} : { heading }),
      onChoose: () => choose(variant.id),
    };
  };
  const gpuHeading = cuda.available ? 'CUDA' : `CUDA, not on this machine: ${cuda.reason ?? 'there is no device.'}`;
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
            ...variantItems(own, refusals, cuda, value, choose),
          ]}
        >
          <span className="variant-button__text">{shown}</span>
          <Icon name="chevron" size={12} />
        </MenuButton>
      )}
    </Row>
  );
}
