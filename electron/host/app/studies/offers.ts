/** Ready-made studies that depend on what the program knows: which claims are about a scenario, and what can be tuned. */
import type { Capabilities } from '../../../contract/capabilities.ts';
import type { ScenarioDraft } from '../../../contract/scenario/draft.ts';
import { kindOfDocument, valueAt } from '../../../contract/scenario/index.ts';
import { type BenchKind, type Claim, readClaimsOf } from '../../model/bench/claims.ts';
import { placeOf, type UserKernels } from '../user-kernels/user-kernels.ts';

export interface Offers {
  readonly tunable: string[];
  readonly claims: { readonly claim: string; readonly variants: string[] }[];
}

interface OffersParts {
  readonly assetsFolder: string;
  readonly userKernels: UserKernels;
  readonly capabilities: Pick<Capabilities, 'variants'>;
}

const aboutOf = (document: ScenarioDraft): BenchKind =>
  placeOf({
    kind: kindOfDocument(document),
    problem: valueAt(document, ['problem']),
    name: valueAt(document, ['name']),
  });

/** Claims about what the document measures. */
export const claimsAbout = (document: ScenarioDraft, assetsFolder: string): Promise<readonly Claim[]> =>
  readClaimsOf(assetsFolder, aboutOf(document));

export async function offersFor(
  document: ScenarioDraft,
  { assetsFolder, userKernels, capabilities }: OffersParts,
): Promise<Offers> {
  const about = aboutOf(document);
  const here = capabilities.variants.filter(
    ({ workload, bench, available }) =>
      workload === about.workload && available && (bench === '' || bench === about.bench),
  );
  const ids = new Set(here.map(({ id }) => id));
  const tunable: string[] = [];
  for (const id of ids) if ((await userKernels.space(id, about)) !== null) tunable.push(id);
  const claims = (await claimsAbout(document, assetsFolder)).flatMap(({ claim, pairs }) => {
    const both = pairs.filter(({ slower, faster }) => ids.has(slower.variant) && ids.has(faster.variant));
    const variants = [...new Set(both.flatMap(({ slower, faster }) => [slower.variant, faster.variant]))];
    return variants.length === 0 ? [] : [{ claim, variants }];
  });
  return { tunable, claims };
}
