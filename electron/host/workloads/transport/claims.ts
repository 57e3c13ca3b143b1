/** Published claims beside what a bench of proton transport gave. */

import type { ClaimResult } from '../../../contract/bench/claims.ts';
import type { BenchReport } from '../../../contract/bench/recorded/transport.ts';
import { claimResults, measuredTransport } from '../../model/bench/claim-results.ts';
import { type Claim, type ClaimCatalogue, claimsOf, readClaimsOf } from '../../model/bench/claims.ts';

const about = { workload: 'transport', bench: '' } as const;

export const readClaims = (assetsFolder: string): Promise<readonly Claim[]> => readClaimsOf(assetsFolder, about);

/** The claims of today beside the samples of a report of any age. */
export const transportClaims = (catalogue: ClaimCatalogue, report: BenchReport): ClaimResult[] =>
  claimResults(claimsOf(catalogue, about), measuredTransport(report));
