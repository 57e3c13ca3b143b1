/** Collects the contents of a report from run files and sessions. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Palette } from '../../../renderer/drawing/report/map-figure.ts';
import type { ReportInput } from '../../../renderer/drawing/report/report.ts';
import type { Host } from '../../host/index.ts';
import { assetsFolder } from '../assets-folder.ts';
import { readSubjects } from '../subjects.ts';

const colorFile = z.looseObject({ entries: z.literal(256), colors: z.string().length(256 * 6) });

async function palette(name: string): Promise<Palette> {
  const text = await readFile(path.join(assetsFolder(), 'colormaps', `${name}.json`), 'utf8');
  return Uint8Array.from(Buffer.from(colorFile.parse(JSON.parse(text)).colors, 'hex'));
}

/** Largest number of samples across a map. More would not be visible on a page. */
const PIXELS = 640;

/** Collects the runs and sessions in `files`. Throws BraggError for any other file. */
export async function reportInput(host: Host, files: readonly string[], title: string): Promise<ReportInput> {
  const { subjects: all, sessions, scenarios, commands } = await readSubjects(host, files);
  const subjects = [...all];
  const { rows, words, groups } = await host.call('compare.rows', { subjects, reference: 0 });
  // Compare the answers of runs with the first run, because sessions contain no answers.
  const shown = Math.max(
    0,
    rows.findIndex(({ has_map }) => has_map),
  );
  const { curves } = await host.call('compare.curves', { subjects, reference: shown });
  const viewport = { horizontal: null, vertical: null, pixels: [PIXELS, PIXELS] as [number, number] };
  const { maps } = await host.call('compare.maps', { subjects, reference: shown, viewport });
  return {
    title,
    created: new Date().toISOString(),
    version: host.capabilities().version,
    rows,
    groups,
    words,
    curves,
    maps,
    sessions,
    scenarios,
    commands: [...commands, `report ${files.join(' ')}`],
    palettes: { field: await palette('viridis'), difference: await palette('berlin') },
  };
}
