/** The image, and once a crystal was fitted what its counts are more or less than the fit. */
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import type { FieldMap } from '../../../electron/contract/fields.ts';
import type { MeasuredImage, RefinedCrystal } from '../../../electron/contract/scenario/diffraction/refining.ts';
import { count, significant } from '../../base/numbers.ts';
import { MapTile } from '../../maps/map-tile.tsx';
import { errorText } from '../../state/notices.ts';
import { useWorkbench } from '../../workbench/context.ts';

/** More device pixels per tile than a screen has are not asked for. */
const PIXELS = 1024;
/** Share of the largest where a logarithmic scale begins: below it a counter has noise. */
const LEAST = 1e-3;

const viewport = { horizontal: null, vertical: null, pixels: [PIXELS, PIXELS] as [number, number] };

/** Asked for anew when `key` is another. */
function useMap(image: string, show: 'measured' | 'difference', key: unknown): FieldMap | null {
  const { client, stores } = useWorkbench();
  const [map, setMap] = useState<FieldMap | null>(null);
  useEffect(() => {
    setMap(null);
    if (key === null) return;
    let current = true;
    client.call('refining.view', { image, show, view: { viewport, statistic: 'max' } }).then(
      (answer) => current && setMap(answer.map),
      (error: unknown) => current && stores.notices.fail(`The image was not read: ${errorText(error)}`, error),
    );
    return () => {
      current = false;
    };
  }, [client, stores, image, show, key]);
  return map;
}

const reachOf = ({ min, max }: FieldMap): number => Math.max(Math.abs(min), Math.abs(max)) || 1;

interface MapsProps {
  readonly image: MeasuredImage;
  readonly refined: RefinedCrystal | null;
}

export function Maps({ image, refined }: MapsProps): ReactElement | null {
  const { stores, workloads } = useWorkbench();
  const plane = useMemo(() => workloads['diffraction'].plane?.(stores) ?? null, [workloads, stores]);
  const measured = useMap(image.id, 'measured', image.id);
  const difference = useMap(image.id, 'difference', refined);
  if (plane === null) return null;
  const high = measured?.max ?? 1;
  const limits = { low: Math.max(high * LEAST, measured?.min ?? 0), high };
  const reach = difference === null ? 1 : reachOf(difference);
  return (
    <>
      <MapTile
        title="Image"
        aside={`${count(image.width)} × ${count(image.height)} pixels`}
        field={measured}
        reason={null}
        plane={plane}
        style={{ colorMap: 'viridis', scale: 'log' }}
        limits={measured === null ? null : limits}
        quantity="Counts"
      />
      {refined === null ? null : (
        <MapTile
          title="Image less the fit"
          aside={difference === null ? '' : `at most ${significant(reach, 2)} counts`}
          field={difference}
          reason={null}
          plane={plane}
          style={{ colorMap: 'berlin', scale: 'linear' }}
          limits={{ low: -reach, high: reach }}
          quantity="Difference"
        />
      )}
    </>
  );
}
