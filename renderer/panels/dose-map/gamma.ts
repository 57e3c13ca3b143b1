/** Keeps the gamma index of the shown run against another one in the data cache while it is wanted. */
import { messageOf } from '../../../electron/contract/errors.ts';
import type { Viewport } from '../../../electron/contract/fields.ts';
import { SHOWN } from '../../data/run-data.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import type { DoseViewStore } from './store.ts';

/** Key of the gamma map in the data cache. */
export const GAMMA_MAP = 'dose-map/gamma';

interface GammaFollower {
  /** Asks for what is wanted now, unless it is there or on its way. */
  follow(viewport: Viewport | null): void;
  stop(): void;
}

export function followGamma({ client, stores, data }: Workbench, view: DoseViewStore): GammaFollower {
  let asked = '';
  let current: AbortController | null = null;
  /** Which answer of Live the gamma is made from; 0 for other runs. */
  let revision = 0;
  let again: Viewport | null = null;

  const forget = (): void => {
    current?.abort();
    current = null;
    asked = '';
    again = null;
    data.maps.drop(GAMMA_MAP);
    if (view.getState().gamma !== null) view.setState({ gamma: null });
  };

  const follow = (viewport: Viewport | null): void => {
    const { against } = view.getState();
    const { run } = stores.selection.getState();
    if (against.kind !== 'gamma' || run === null || viewport === null) {
      if (asked !== '') forget();
      return;
    }
    const { dose, distance_mm, local, by, of } = against;
    const reference = of.kind === 'run' ? of.run : of.plane;
    const params = { run, reference, dose, distance_mm, local, by, viewport };
    const wanted = JSON.stringify(params);
    const live = stores.whatIf.getState().run === run;
    const newest = live ? data.depthDose.revision(SHOWN) : 0;
    if (wanted === asked && newest === revision) return;
    if (wanted !== asked) forget();
    else if (current !== null) {
      // The one under way is shown first: with an answer every few frames none would be.
      again = viewport;
      return;
    }
    asked = wanted;
    revision = newest;
    const controller = new AbortController();
    current = controller;
    client.callCancellable('dose.gamma', params, controller.signal).then(
      (outcome) => {
        if (current === controller) current = null;
        if (asked !== wanted || outcome.status !== 'done') return;
        const { map, ...result } = outcome.value;
        data.troubles.drop(GAMMA_MAP);
        data.maps.set(GAMMA_MAP, { run, field: map, step: 0, depth_mm: 0 });
        view.setState({ gamma: result });
        const next = again;
        again = null;
        if (next !== null) follow(next);
      },
      (error: unknown) => {
        if (current === controller) current = null;
        if (asked === wanted) data.troubles.set(GAMMA_MAP, messageOf(error));
      },
    );
  };
  return { follow, stop: forget };
}
