/** The call and the stream of Live what-if. */
import type { Handlers, Sources } from '../service/service.ts';
import type { WhatIfs } from '../what-ifs/what-ifs.ts';

export function whatIfHandlers({ whatIfs }: { readonly whatIfs: WhatIfs }): Pick<Handlers, 'whatIf.ask'> {
  return {
    'whatIf.ask': ({ session, ...asked }) => {
      whatIfs.ask(session, asked);
      return {};
    },
  };
}

export function whatIfSource(whatIfs: WhatIfs): Pick<Sources, 'whatIf'> {
  return { whatIf: ({ session }, sink) => whatIfs.open(session, sink) };
}
