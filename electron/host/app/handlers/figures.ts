/** Calls about figures that the page exports. */
import type { RunPacker } from '../run-files/packer.ts';
import type { Handlers } from '../service/service.ts';

export function figureHandlers({ packer }: { readonly packer: RunPacker }): Pick<Handlers, 'figure.pack'> {
  return { 'figure.pack': async (figure) => ({ bytes: await packer.figure(figure) }) };
}
