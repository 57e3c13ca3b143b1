/** Gathers what a report says about run files and sessions. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Palette } from '../../renderer/report/map-figure.ts';
import type { ReportInput, ReportScenario, ReportSession } from '../../renderer/report/report.ts';
import type { Subject } from '../contract/benches.ts';
import { BraggError } from '../contract/errors.ts';
import { writeScenarioText } from '../contract/scenario/index.ts';
import type { Host } from '../host/index.ts';
import { assetsFolder } from './assets-folder.ts';

const colorFile = z.looseObject({ entries: z.literal(256), colors: z.string().length(256 * 6) });

export async function palette(name: string): Promise<Palette> {
  const text = await readFile(path.join(assetsFolder(), 'colormaps', `${name}.json`), 'utf8');
  return Uint8Array.from(Buffer.from(colorFile.parse(JSON.parse(text)).colors, 'hex'));
}

/** More samples than this across a map of a page's width are not seen. */
const PIXELS = 640;

const isSession = (file: string): boolean => path.extname(file).toLowerCase() === '.json';

async function present(file: string): Promise<void> {
  await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new BraggError('not-found', `There is no file ${file}.`);
    if (error.code === 'EISDIR') throw new BraggError('foreign-file', `${file} is a folder, not a run or a session.`);
    throw error;
  });
}

/** Throws BraggError for a file that is neither a run nor a session. */
export async function reportInput(host: Host, files: readonly string[], title: string): Promise<ReportInput> {
  const subjects: Subject[] = [];
  const sessions: ReportSession[] = [];
  const scenarios: ReportScenario[] = [];
  const commands: string[] = [];
  for (const file of files) {
    await present(file);
    const granted = host.grant(file).file;
    if (isSession(file)) {
      const info = await host.call('bench.open', { source: { kind: 'file', file: granted } });
      const { session } = await host.call('bench.session', { bench: info.id });
      const last = session.reports.length - 1;
      subjects.push(
        ...info.subjects.map(({ subject }) => subject).filter((one) => one.kind !== 'run' && one.report === last),
      );
      sessions.push({ name: info.name, session });
      commands.push(session.command);
    } else {
      const run = await host.call('run.open', { source: { kind: 'file', file: granted } });
      const { scenario } = await host.call('run.scenario', { run: run.id });
      subjects.push({ kind: 'run', run: run.id });
      scenarios.push({ name: `${path.basename(file)}: ${run.variant}`, text: writeScenarioText(scenario) });
      commands.push(`run ${path.basename(file, path.extname(file))}.json --out ${path.basename(file)}`);
    }
  }
  const { rows, words } = await host.call('compare.rows', { subjects, reference: 0 });
  // Sessions keep no answers: then those of the runs are held to the first run's.
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
    words,
    curves,
    maps,
    sessions,
    scenarios,
    commands: [...commands, `report ${files.join(' ')}`],
    palettes: { field: await palette('viridis'), difference: await palette('berlin') },
  };
}
