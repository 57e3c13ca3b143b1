/** Contents and errors of the four phase-space maps. */
import type { ShownMap } from '../../data/run-data.ts';
import { useCached, useWorkbench } from '../../workbench/context.ts';
import { cacheKey, type SlotKey } from './maps.ts';

function useMap(slot: SlotKey): ShownMap | null {
  return useCached(useWorkbench().data.maps, cacheKey(slot));
}

function useTrouble(slot: SlotKey): string | null {
  return useCached(useWorkbench().data.troubles, cacheKey(slot));
}

export const useShownMaps = (): readonly (ShownMap | null)[] => [useMap('a'), useMap('b'), useMap('c'), useMap('d')];

export const useAnyTrouble = (): boolean =>
  [useTrouble('a'), useTrouble('b'), useTrouble('c'), useTrouble('d')].some((trouble) => trouble !== null);
