/**
 * The host's own state files on a full disk: writes beyond the file size limit of this process fail. Prints one JSON
 * document with the messages of each part and the remaining files. The first argument is a folder.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { LibraryIndex } from '../../../../../electron/host/app/library/index-file.ts';
import { HostLog } from '../../../../../electron/host/app/log.ts';
import { Checkpoints, runForm, runsIn } from '../../../../../electron/host/app/recovery/checkpoints.ts';
import { draftFile, readDraft, saveDraft } from '../../../../../electron/host/app/recovery/recovery.ts';
import { runPacker } from '../../../../../electron/host/app/run-files/packer.ts';
import { ProcessFolders } from '../../../../../electron/host/io/files/owned-folder.ts';
import { runOf } from '../../../../../electron/host/workloads/run-data.ts';
import { runScenario, smallScenario } from '../../small-run.ts';

const folder = process.argv[2] ?? '';

const describeError = (error: unknown): unknown =>
  error instanceof Error ? { name: error.name, code: Reflect.get(error, 'code'), message: error.message } : error;

async function writeDrafts(): Promise<unknown> {
  const place = path.join(folder, 'drafts');
  mkdirSync(place, { recursive: true });
  const draft = (notes: string) => ({ title: 'mine', path: null, draft: { kind: 'transport', version: 1, notes } });
  await saveDraft(place, 'page', draft('first'));
  const error = await saveDraft(place, 'page', draft('x'.repeat(200_000))).catch(describeError);
  const kept = await readDraft(draftFile(place, 'page'));
  return { error, kept: kept?.draft['notes'], files: readdirSync(place) };
}

async function writeCheckpoints(): Promise<unknown> {
  const folders = new ProcessFolders(path.join(folder, 'data', 'recovery'));
  const packer = runPacker;
  const said: string[] = [];
  const kept = new Checkpoints(folders, runForm(packer), (reason) => said.push(reason));
  const small = await runScenario({ ...smallScenario, output: { keyframes: 0 } });
  const large = await runScenario({ ...smallScenario, output: { keyframes: 32 } });
  const { finished: _, ...state } = { id: 'run', upTo: '1 step, 1.0 mm deep', finished: false };
  await kept.save({ ...state, data: small, finished: false });
  const before = await runsIn(folders.own);
  await kept.save({ ...state, data: large, finished: false });
  await kept.save({ ...state, data: large, finished: true });
  const after = await runsIn(folders.own);
  const [found] = after;
  const read =
    found === undefined
      ? null
      : runOf('transport', await packer.read(readFileSync(found.file.replace(/json$/, 'h5')), 'kept'));
  const files = readdirSync(folders.own).filter((name) => name.startsWith('run-') || name.endsWith('.tmp'));
  return { said, before: before.length, after: after.length, steps: read?.steps ?? null, wanted: small.steps, files };
}

async function writeLog(): Promise<unknown> {
  const place = path.join(folder, 'logs');
  const kept = new HostLog(place);
  const line = (i: number): string => `line ${i} ${'y'.repeat(1000)}`;
  const count = 220;
  for (let i = 0; i < count; i += 1) kept.write('info', line(i));
  const file = readFileSync(path.join(place, 'braggbench.log'), 'utf8');
  const heard: string[] = [];
  kept.read({ offer: (make) => heard.push(make().text), end: () => undefined });
  const tail = await kept.tail();
  return {
    whole: file.endsWith('\n'),
    warnings: heard.filter((text) => text.startsWith('The log cannot be written')),
    last: heard.at(-1)?.slice(0, 8),
    missing: Array.from({ length: count }, (_, i) => `line ${i} `).filter(
      (text) => !tail.includes(text) && !file.includes(text),
    ),
  };
}

function writeIndex(): unknown {
  const said: string[] = [];
  const kept = new LibraryIndex(path.join(folder, 'index-data'), path.join(folder, 'library'), (reason) =>
    said.push(reason),
  );
  const facts = { energy_MeV: 70, r80_mm: null, variant: null, precision: null, status: null, device: null };
  const files = Array.from({ length: 200 }, (_, i) => ({
    ...({ place: 'yours', key: `${i}.json`, kind: 'scenario', bytes: 1, modified_ms: i } as const),
    ...{ name: `file ${i}`, notes: 'z'.repeat(2000), problem: null },
    facts: facts as never,
  }));
  kept.update(files, []);
  const { total } = kept.search({ text: '', place: 'yours', kind: null, tag: null, order: 'name', limit: 5 });
  kept.close();
  return { said, total };
}

console.log(
  JSON.stringify({
    drafts: await writeDrafts(),
    checkpoints: await writeCheckpoints(),
    log: await writeLog(),
    index: writeIndex(),
  }),
);
