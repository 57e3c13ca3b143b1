/** The CT that a scenario takes its matter from. */
import type { FileAccess } from '../../io/files/access.ts';
import type { Scenarios } from '../../workloads/scenarios/index.ts';
import { ctPicture } from '../../workloads/transport/scenario/ct/ct-picture.ts';
import { asTransport } from '../../workloads/transport/scenario/reading.ts';
import type { Handlers } from '../service/service.ts';
import { placeOf } from './scenarios.ts';

interface CtParts {
  readonly scenarios: Scenarios;
  readonly files: FileAccess;
}

export function ctHandlers({ scenarios, files }: CtParts): Pick<Handlers, 'ct.picture'> {
  return {
    'ct.picture': async ({ scenario, file, pixels }) => {
      const {
        ct,
        scenario: complete,
        range_mm,
      } = asTransport(await scenarios.check(scenario, await placeOf(files, file)), null);
      return { picture: ct === null || complete === null ? null : await ctPicture(ct, complete, range_mm, pixels) };
    },
  };
}
