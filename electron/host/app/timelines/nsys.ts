/** Reports of Nsight Systems in its own format: its program nsys makes a database of them, where it is installed. */
import { existsSync } from 'node:fs';
import { copyFile, link, readdir } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { runContained } from '../../model/user-kernels/contained.ts';

const PROGRAM = process.platform === 'win32' ? 'nsys.exe' : 'nsys';
/** Reports of hours take minutes. */
const LIMITS = { time_ms: 1_800_000, memory_bytes: 2 ** 50, file_bytes: 2 ** 40, output_bytes: 2 ** 20 } as const;

/** Folders of its installers, each with one folder for a version. */
function installers(environment: NodeJS.ProcessEnv): readonly string[] {
  if (process.platform !== 'win32') return ['/opt/nvidia/nsight-systems', '/opt/nvidia/nsight-systems-cli'];
  return [path.join(environment['ProgramFiles'] ?? 'C:\\Program Files', 'NVIDIA Corporation')];
}

async function installed(environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const within = process.platform === 'win32' ? 'target-windows-x64' : 'bin';
  const folders = await Promise.all(
    installers(environment).map(async (folder) =>
      (await readdir(folder).catch(() => [])).map((version) => path.join(folder, version, within, PROGRAM)),
    ),
  );
  // The newest version last in the alphabet.
  return folders.flatMap((places) => places.toSorted().reverse());
}

/** Null where it is not installed. */
export async function findNsys(environment: NodeJS.ProcessEnv = process.env): Promise<string | null> {
  const named = (environment['PATH'] ?? '').split(path.delimiter).filter((one) => one !== '');
  const cuda = [environment['CUDA_PATH'], environment['CUDA_HOME'], '/usr/local/cuda'];
  const homes = cuda.flatMap((home) => (home === undefined || home === '' ? [] : [path.join(home, 'bin')]));
  const places = [
    ...[...named, ...homes].map((folder) => path.join(folder, PROGRAM)),
    ...(await installed(environment)),
  ];
  return places.find((place) => existsSync(place)) ?? null;
}

/** Makes `target`, a database. `folder` is scratch. Throws BraggError `foreign-file` with what nsys says. */
export async function convertReport(file: string, target: string, folder: string): Promise<void> {
  const program = await findNsys();
  if (program === null) {
    throw new BraggError(
      'foreign-file',
      'Nsight Systems keeps this format to itself, and its program nsys was not found here: where it is, run nsys export --type sqlite on it',
    );
  }
  // It goes by the ending; a file that came with the page has none.
  const report = path.join(folder, 'report.nsys-rep');
  await link(file, report).catch(() => copyFile(file, report));
  const args = ['export', '--type=sqlite', '--force-overwrite=true', `--output=${target}`, report];
  const { failed, output } = await runContained({ title: 'nsys', program, args, folder, limits: LIMITS });
  if (failed || !existsSync(target)) {
    const says = output.trim().replace(/\s+/g, ' ').slice(-300);
    throw new BraggError('foreign-file', `nsys could not convert it: ${says === '' ? 'it said nothing' : says}`);
  }
}
