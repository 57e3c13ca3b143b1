/** Registered external programs as candidates of a session, listed after the variants. */
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { Entrant } from '../bench/contestant.ts';
import { RivalContestant, type RivalTerms, rivalCold, rivalHead } from './contestant.ts';
import { type ChosenBaseline, chooseBaselines, readRegistry, type Solved } from './registry.ts';

export interface ExternalAsked {
  readonly assetsFolder: string;
  /** Ids, or id=FILE. */
  readonly ids: readonly string[];
  /** With every default filled in. */
  readonly scenario: unknown;
}

interface RivalsOf extends Solved {
  readonly addon: NativeAddon;
  readonly external: ExternalAsked | null | undefined;
  readonly terms: (chosen: ChosenBaseline) => RivalTerms;
  readonly signal?: AbortSignal | undefined;
}

/** Throws BraggError 'invalid' for what is not registered for these scenarios. */
export async function rivalEntrants({ addon, external, terms, signal, ...solved }: RivalsOf): Promise<Entrant[]> {
  if (external == null || external.ids.length === 0) return [];
  const registry = await readRegistry(external.assetsFolder);
  return chooseBaselines(registry, solved, external.ids).map((chosen) => {
    const own = terms(chosen);
    const request = { workload: solved.workload, bench: solved.bench, scenario: external.scenario, ...own.request };
    const options = { addon, folder: registry.folder, chosen, terms: { ...own, request }, signal };
    return { head: rivalHead(options), enter: () => new RivalContestant(options), cold: rivalCold(options) };
  });
}
