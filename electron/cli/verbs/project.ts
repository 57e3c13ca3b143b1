/** `braggbench project`: packs scenarios, runs, sessions, studies and notes into one file, or unpacks such a file. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../contract/errors.ts';
import { PROJECT_ENDING, type UnpackedPart } from '../../contract/projects/project.ts';
import { formatBytes } from '../../domain/values/units.ts';
import { NOTES_FOLDER, type PackRequest, packProject, unpackProject } from '../../host/api/files.ts';
import { listProblems, problemFileIn } from '../../host/api/kernels.ts';
import { isStudyFolder } from '../../host/api/studies.ts';
import type { Host } from '../../host/index.ts';
import { flagValue, hasFlag, jsonFlag, UsageError } from '../arguments.ts';
import { checkOutput, forceFlag, writeOutput } from '../output-file.ts';
import { withHost } from '../subjects.ts';
import { formatTable } from '../table.ts';
import { type ExitCode, exitCodes, type Verb, type VerbContext } from '../verb.ts';

const ENDINGS = ['.json', '.yaml', '.yml', '.h5', '.cu', '.cpp'];
const STUDY = '.study';

type PackContents = Pick<PackRequest, 'files' | 'studies' | 'notesFolder'>;

async function collectOperands(operands: readonly string[]): Promise<PackContents> {
  const files: PackRequest['files'][number][] = [];
  const studies: PackRequest['studies'][number][] = [];
  for (const operand of operands) {
    if (await isStudyFolder(operand)) {
      const name = path.basename(path.resolve(operand));
      studies.push({ name: name.endsWith(STUDY) ? name.slice(0, -STUDY.length) : name, folder: operand });
    } else if (problemFileIn(operand) !== null) {
      const document = problemFileIn(path.resolve(operand)) ?? operand;
      files.push({ name: path.basename(document), from: document });
    } else if (ENDINGS.includes(path.extname(operand).toLowerCase())) {
      files.push({ name: path.basename(operand), from: path.resolve(operand) });
    } else {
      const is =
        (await stat(operand).catch(() => null))?.isDirectory() === true
          ? 'a folder without a study or problem'
          : 'no such file';
      const allowed = `${ENDINGS.join(', ')}, problem folders and study folders`;
      throw new BraggError('invalid', `${operand} is ${is}; allowed: ${allowed}.`);
    }
  }
  return { files, studies, notesFolder: null };
}

async function collectLibrary(host: Host): Promise<PackContents> {
  const { library } = host.files;
  const own = (await library.list(ENDINGS)).filter(({ readOnly }) => !readOnly);
  const studies = await host.studies.list();
  const problems = (await listProblems(library.folder)).map((folder) => problemFileIn(folder) ?? folder);
  return {
    files: [
      ...own.map(({ key, path: from }) => ({ name: key, from })),
      ...problems.map((from) => ({ name: path.basename(from), from })),
    ],
    studies: studies.map(({ id }) => ({ name: id, folder: host.studies.folderOf(id) })),
    notesFolder: path.join(library.folder, NOTES_FOLDER),
  };
}

async function pack({ parsed, terminal }: VerbContext, file: string, operands: readonly string[]): Promise<ExitCode> {
  if (!file.endsWith(PROJECT_ENDING)) throw new UsageError(`the output of project pack must end in ${PROJECT_ENDING}`);
  const whole = hasFlag(parsed, 'library');
  if (operands.length === 0 && !whole)
    throw new UsageError('project pack: name the files to pack, or use --library for the whole library');
  await checkOutput(parsed, file);
  return withHost(async (host) => {
    const [some, all] = [await collectOperands(operands), whole ? await collectLibrary(host) : null];
    const request: PackRequest = {
      name: path.basename(file, PROJECT_ENDING),
      program: host.capabilities().version,
      files: [...some.files, ...(all?.files ?? [])],
      studies: [...some.studies, ...(all?.studies ?? [])],
      notesFolder: all?.notesFolder ?? null,
    };
    const bytes = await packProject(request);
    await writeOutput(parsed, file, bytes);
    const { files, studies } = request;
    terminal.print(
      `${file}: ${files.length} file${files.length === 1 ? '' : 's'} and ${studies.length} stud${studies.length === 1 ? 'y' : 'ies'} in ${formatBytes(bytes.length)}`,
    );
    return exitCodes.done;
  });
}

const outcomeTexts: Readonly<Record<UnpackedPart['how'], string>> = {
  new: 'new',
  there: 'was there',
  kept: 'the existing file of this name is unchanged',
};

async function unpack({ parsed, terminal }: VerbContext, file: string): Promise<ExitCode> {
  return withHost(async (host) => {
    const into = flagValue(parsed, 'into');
    const library = into ?? host.files.library.folder;
    const { name, came } =
      into === undefined
        ? await host.call('project.unpack', { source: { kind: 'file', file: host.grant(file).file } })
        : await unpackProject({
            name: path.basename(file),
            bytes: await host.files.read(host.grant(file).file),
            library: path.resolve(into),
          });
    if (hasFlag(parsed, 'json')) {
      terminal.print(JSON.stringify({ name, library, came }, null, 2));
      return exitCodes.done;
    }
    const rows = came.map((one) => [one.part, one.as, outcomeTexts[one.how]]);
    for (const line of formatTable([{ title: 'what' }, { title: 'called' }, { title: 'here' }], rows))
      terminal.print(line);
    terminal.print(`${name} is in ${library}`);
    return exitCodes.done;
  });
}

export const projectVerb: Verb = {
  name: 'project',
  usage: `project pack FILE${PROJECT_ENDING} WHAT…; project unpack FILE${PROJECT_ENDING} [--into FOLDER] [--json]`,
  summary: 'pack scenarios, runs, sessions, studies and notes into one file for a colleague, or unpack one',
  details: [
    'pack accepts scenarios with the files and user kernels that they use, runs, sessions, and study folders with their results. --library packs your whole library, with the notes on timelines.',
    'A problem folder, or its problem.json, includes its reference and all candidates, and is unpacked as a folder.',
    'A kernel includes its description and the files that it includes from its folder. The recipient must trust it before it runs.',
    'unpack adds everything to the library. Existing files are not changed: a different file of the same name gets a number, a study with the same points receives the results that it lacks.',
    'A project is a zip archive. Its project.json lists every file with its SHA-256, and unpack refuses files that differ.',
  ],
  flags: [
    { name: 'library', help: 'Pack the whole library.' },
    { name: 'into', value: 'FOLDER', help: 'Unpack into this folder instead of your library.' },
    forceFlag,
    jsonFlag,
  ],
  examples: [
    `braggbench project pack beam${PROJECT_ENDING} water.json water.h5 energies.study`,
    `braggbench project unpack beam${PROJECT_ENDING}`,
  ],
  operands: { min: 2, max: 1000, name: 'pack or unpack, and a file' },
  run: (context) => {
    const [what = '', file = '', ...rest] = context.parsed.operands;
    if (what === 'pack') return pack(context, file, rest);
    if (what === 'unpack' && rest.length === 0) return unpack(context, file);
    throw new UsageError(
      `project: ${JSON.stringify([what, ...rest].join(' '))} is not known; allowed: pack FILE WHAT…, unpack FILE`,
    );
  },
};
