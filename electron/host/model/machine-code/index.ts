/**
 * PTX and SASS of a kernel. Code of a shipped kernel is extracted from the fat binary that runs use. A user kernel, or
 * a shipped kernel without a fat binary, is compiled for display by nvcc, or by NVRTC if nvcc is missing.
 */
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import type { Code, CodeLanguage, KernelResource } from '../../../contract/launches.ts';
import { flagsFor } from '../../../contract/user-kernels/options.ts';
import type { KernelFolders } from '../../io/addon/addon.ts';
import { pathOutsideArchive } from '../../io/programs.ts';
import { readKernelResources } from '../bench/session-file.ts';
import { workloadFolder } from '../bench/sources.ts';
import { type BuildOptions, buildUserKernel } from '../user-kernels/build.ts';
import { codeFileName, type UserKernel, updateIncludes } from '../user-kernels/file.ts';
import { type CubinKernel, extractCubins, readKernels } from './cubin.ts';
import { type Listing, parsePtx, parseSass, ptxKernelNames, ptxTarget } from './listing.ts';
import { findCudaTool, NO_DISASSEMBLER, runTool, toolVersionText } from './tools.ts';

/** Maximum size of a code file. PTX of the largest workload has 18 MB. */
const MAX_FILE_BYTES = 256 * 2 ** 20;
/** Maximum number of source files that are shown with a listing, and maximum size of each. */
const [MAX_FILES, MAX_SOURCE_BYTES] = [64, 2 ** 20];

interface CodeRequest {
  readonly architecture: string;
  readonly language: CodeLanguage;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Code for one architecture, as machine code or PTX, with the resources of its kernels and access to its source files.
 */
interface CodeImage {
  readonly bytes: Uint8Array;
  /** Name of the compiler, for display. */
  readonly by: string;
  readonly spills: ReadonlyMap<string, Pick<KernelResource, 'spill_store_bytes' | 'spill_load_bytes'>>;
  /**
   * Converts a file name in the code to a path from the repository's root, or to the user kernel's name. Null for files
   * of the compiler.
   */
  readonly pathOf: (file: string) => string | null;
  readonly textOf: (shown: string) => Promise<string | null>;
}

const architectureNumber = (architecture: string): number => Number.parseInt(architecture.slice(3), 10);

async function readIfSmall(file: string): Promise<Uint8Array | null> {
  const found = await stat(file).catch(() => null);
  if (found === null) return null;
  if (found.size > MAX_FILE_BYTES) {
    throw new BraggError('memory', `${file} has ${found.size} bytes; allowed: ${MAX_FILE_BYTES}`);
  }
  return readFile(file);
}

/** Path of a shipped source, such as `kernels/micro/…`, from the path on the machine where it was compiled. */
function toShippedPath(file: string): string | null {
  const at = file.replaceAll('\\', '/').lastIndexOf('/kernels/');
  if (at >= 0) return file.replaceAll('\\', '/').slice(at + 1);
  return path.isAbsolute(file) ? null : path.posix.join('kernels', file.replace(/^kernels\//, ''));
}

async function readShippedText(sources: string, shown: string): Promise<string | null> {
  const file = path.join(sources, path.posix.relative('kernels', shown));
  const inside = !path.relative(sources, file).startsWith('..');
  const found = inside ? await stat(file).catch(() => null) : null;
  return found?.isFile() === true && found.size <= MAX_SOURCE_BYTES ? readFile(file, 'utf8') : null;
}

async function listingFiles(listing: Listing, { pathOf, textOf }: CodeImage): Promise<Code['files']> {
  return Promise.all(
    listing.files.map(async (file, i) => {
      const shown = pathOf(file);
      return {
        path: shown ?? path.basename(file),
        text: shown === null || i >= MAX_FILES ? null : await textOf(shown),
      };
    }),
  );
}

const makeTemporaryFolder = (): Promise<string> => mkdtemp(path.join(tmpdir(), 'braggbench-code-'));

interface CodeReadRequest extends CodeRequest {
  readonly image: CodeImage;
  /** Name of the requested kernel; null for the first one. */
  readonly kernel: string | null;
  /** Names of the kernels that may be shown; null allows every kernel in the image. */
  readonly among: readonly string[] | null;
}

/** Name of the selected kernel, and names of all kernels that may be shown. */
function chooseKernel(
  all: readonly string[],
  { kernel, among }: Pick<CodeReadRequest, 'kernel' | 'among'>,
  of: string,
) {
  const names = among?.filter((name) => all.includes(name)) ?? all;
  const [first] = names;
  if (first === undefined) throw new BraggError('not-found', `${of} has no kernel.`);
  if (kernel !== null && !names.includes(kernel)) {
    throw new BraggError('not-found', `${of} has no kernel ${kernel}; it has ${names.join(', ')}.`);
  }
  return { name: kernel ?? first, kernels: [...names] };
}

/** Resources of a kernel for display, without its name and architecture. */
function displayedResource<T extends CubinKernel['resource']>(found: T) {
  const { constant_bytes: _, name: __, architecture: ___, ...counted } = found;
  return { ...counted, max_threads: counted.max_threads ?? null };
}

async function readPtxCode({ image, ...wanted }: CodeReadRequest): Promise<Code> {
  const text = new TextDecoder().decode(image.bytes);
  const { name, kernels } = chooseKernel(ptxKernelNames(text), wanted, 'The PTX');
  const listing = parsePtx(text, name);
  if (listing === null) throw new BraggError('not-found', `The PTX has no kernel ${name}.`);
  return {
    ...{ kernel: name, kernels, architecture: ptxTarget(text), language: 'ptx', by: image.by },
    ...{ lines: [...listing.lines], dropped: listing.dropped, missing: null, resource: null },
    files: await listingFiles(listing, image),
  };
}

async function readSassCode({ image, architecture, signal, ...wanted }: CodeReadRequest): Promise<Code> {
  const found = readKernels(image.bytes, architecture);
  const names = found.map(({ name }) => name);
  const { name, kernels } = chooseKernel(names, wanted, `The machine code for ${architecture}`);
  const own = found.find((one) => one.name === name);
  if (own === undefined) throw new BraggError('internal', `${name} is not in any image.`);
  const spills = image.spills.get(name) ?? { spill_store_bytes: null, spill_load_bytes: null };
  const code = {
    ...{ kernel: name, kernels, architecture, language: 'sass' as const },
    resource: { ...displayedResource(own.resource), ...spills },
  };
  const program = findCudaTool('nvdisasm');
  if (program === null) {
    return { ...code, by: image.by, lines: [], dropped: 0, missing: NO_DISASSEMBLER, files: [] };
  }
  const folder = await makeTemporaryFolder();
  try {
    await writeFile(path.join(folder, 'kernels.cubin'), image.bytes);
    const words = ['--print-code', '--print-line-info', '-fun', String(own.symbol), 'kernels.cubin'];
    const { stdout } = await runTool(program, words, { folder, signal });
    const listing = parseSass(stdout, name);
    if (listing.lines.length === 0) {
      throw new BraggError(
        'invalid',
        `nvdisasm printed no instruction of ${name}; it printed ${stdout.length} characters`,
      );
    }
    const by = `${image.by}, ${await toolVersionText(program, { folder, signal })}`;
    const { dropped } = listing;
    return {
      ...code,
      by,
      lines: [...listing.lines],
      dropped,
      missing: null,
      files: await listingFiles(listing, image),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const readCode = (what: CodeReadRequest): Promise<Code> =>
  what.language === 'ptx' ? readPtxCode(what) : readSassCode(what);

const spillsByKernel = (kernels: readonly KernelResource[], architecture: string): CodeImage['spills'] =>
  new Map(
    kernels
      .filter((one) => one.architecture === architecture)
      .map(({ name, spill_store_bytes, spill_load_bytes }) => [name, { spill_store_bytes, spill_load_bytes }]),
  );

/** Code of a shipped kernel from its fat binary. `among` names the kernels of the variant. Throws a BraggError. */
export async function readShippedCode(
  { images, sources }: KernelFolders,
  {
    workload,
    kernel,
    among,
    ...request
  }: CodeRequest & Pick<CodeReadRequest, 'kernel' | 'among'> & { readonly workload: string },
): Promise<Code> {
  const folder = workload.replaceAll('-', '_');
  const known = await readKernelResources(pathOutsideArchive(images), folder);
  const { architecture, language } = request;
  const file = path.join(pathOutsideArchive(images), `${folder}.${language === 'ptx' ? 'ptx' : 'fatbin'}`);
  const bytes = await readIfSmall(file);
  if (bytes === null || known === null) {
    throw new BraggError(
      'unsupported',
      `${workload} was not compiled on this machine: install nvcc, then run npm run build.`,
    );
  }
  const cubins = language === 'ptx' ? null : extractCubins(bytes);
  const cubin = cubins?.get(architectureNumber(architecture));
  if (cubins !== null && cubin === undefined) {
    const architectures = [...cubins.keys()].map((one) => `sm_${one}`).join(', ');
    throw new BraggError('not-found', `${workload} was not compiled for ${architecture}, but for ${architectures}.`);
  }
  const image: CodeImage = {
    bytes: cubin?.() ?? bytes,
    by: known.compiler === null ? 'nvcc' : `nvcc ${known.compiler}`,
    spills: spillsByKernel(known.kernels, architecture),
    pathOf: toShippedPath,
    textOf: (shown) => readShippedText(pathOutsideArchive(sources), shown),
  };
  const code = await readCode({ ...request, image, kernel, among });
  if (code.resource !== null) return code;
  // PTX does not determine a GPU's resources, so those of the machine code are shown.
  const own = known.kernels.find((one) => one.name === code.kernel && one.architecture === architecture);
  return own === undefined ? code : { ...code, resource: displayedResource(own) };
}

/** Compiler flags, the same as for shipped kernels in electron/build/steps/kernels.mjs. */
const NVCC_FLAGS = ['-std=c++20', '-O3', '--fmad=true', '-lineinfo', '-Xptxas', '-v'];

const SPILLS = /Compiling entry function '([^']+)'[\s\S]*?(\d+) bytes spill stores, (\d+) bytes spill loads/g;

/**
 * Recently compiled code, the newest last. A view requests PTX, SASS and differences of the same kernel one after
 * another.
 */
const compiledImages = new Map<string, Promise<Pick<CodeImage, 'bytes' | 'by' | 'spills'>>>();
const MAX_COMPILED = 8;

async function compileWithNvcc(
  nvcc: string,
  kernel: UserKernel,
  sources: string,
  { architecture, language, signal }: CodeRequest,
) {
  const { base, expandedText, description } = kernel;
  const folder = await makeTemporaryFolder();
  try {
    const root = path.join(folder, 'kernels');
    await cp(sources, root, { recursive: true });
    const placeOf = (file: string): string => path.join(folder, file);
    const replaced = placeOf(description.replaces);
    const includes = { beside: path.dirname(replaced), sources: root, workload: workloadFolder(base), engine: [] };
    await writeFile(replaced, updateIncludes(expandedText, includes));
    const main = description.replaces.endsWith('.cu') ? description.replaces : base.source;
    const number = architectureNumber(architecture);
    const kind = language === 'ptx' ? ['-ptx', `-arch=compute_${number}`] : ['-cubin', `-arch=sm_${number}`];
    const words = [...NVCC_FLAGS, ...flagsFor('cuda', description.compile), '-I', root, ...kind, '-o', 'out', main];
    const { stdout, stderr } = await runTool(nvcc, words, { folder, signal }).catch((error: unknown) => {
      if (!(error instanceof BraggError)) throw error;
      throw new BraggError(error.code, error.message.replaceAll(`${folder}/`, ''));
    });
    const spills = new Map(
      [...`${stdout}${stderr}`.matchAll(SPILLS)].map(([, name = '', stores, loads]) => [
        name,
        { spill_store_bytes: Number(stores), spill_load_bytes: Number(loads) },
      ]),
    );
    const bytes = await readIfSmall(path.join(folder, 'out'));
    if (bytes === null) throw new BraggError('invalid', `nvcc produced no output for ${kernel.id}.`);
    return { bytes, by: await toolVersionText(nvcc, { folder, signal }), spills };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compileWithNvrtc(
  kernel: UserKernel,
  options: BuildOptions,
  { architecture, language, signal }: CodeRequest,
) {
  const target = `${language === 'ptx' ? 'compute' : 'sm'}_${architectureNumber(architecture)}`;
  const { code, issues } = await buildUserKernel(kernel, { ...options, signal, target });
  if (code?.kind !== 'kernels') {
    const [first] = issues;
    throw new BraggError(
      'invalid',
      `${kernel.id}:${first?.line ?? ''}: ${first?.message ?? 'does not compile'}`,
      issues,
    );
  }
  return { bytes: code.image, by: 'NVRTC', spills: new Map() };
}

/**
 * Compiles a kernel for display, or returns cached code for the same text and target. Throws a BraggError if the kernel
 * is not CUDA C++.
 */
async function compileImage(kernel: UserKernel, options: BuildOptions, request: CodeRequest) {
  if (kernel.base.device !== 'cuda' || !codeFileName(kernel).endsWith('.cu')) {
    throw new BraggError('unsupported', `${kernel.id} is not CUDA C++, so it has neither PTX nor SASS.`);
  }
  const [refused] = kernel.includeErrors;
  if (refused !== undefined) throw new BraggError('invalid', `${kernel.id}: ${refused.message}`, kernel.includeErrors);
  const nvcc = findCudaTool('nvcc');
  const key = createHash('sha256')
    .update(
      JSON.stringify([
        nvcc,
        kernel.sha256,
        kernel.expandedText,
        kernel.description,
        request.architecture,
        request.language,
      ]),
    )
    .digest('hex');
  let made = compiledImages.get(key);
  compiledImages.delete(key);
  made ??=
    nvcc === null
      ? compileWithNvrtc(kernel, options, request)
      : compileWithNvcc(nvcc, kernel, pathOutsideArchive(options.folders.sources), request);
  compiledImages.set(key, made);
  made.catch(() => compiledImages.delete(key));
  for (const oldest of [...compiledImages.keys()].slice(0, -MAX_COMPILED)) compiledImages.delete(oldest);
  return made;
}

/**
 * Compiles a user kernel for display, without running it. The caller must have checked that the user trusts the kernel.
 */
export async function compileUserCode(
  kernel: UserKernel,
  options: BuildOptions,
  { kernel: name, ...request }: CodeRequest & Pick<CodeReadRequest, 'kernel'>,
): Promise<Code> {
  const { replaces } = kernel.description;
  const sources = pathOutsideArchive(options.folders.sources);
  const image: CodeImage = {
    ...(await compileImage(kernel, options, request)),
    pathOf: (file) => {
      if (path.basename(file) === codeFileName(kernel)) return kernel.id;
      const shown = toShippedPath(file);
      return shown === replaces ? kernel.id : shown;
    },
    textOf: async (shown) => (shown === kernel.id ? kernel.expandedText : readShippedText(sources, shown)),
  };
  return readCode({ ...request, image, kernel: name, among: null });
}

/**
 * Resources of all kernels in a user kernel's file, from its machine code. Spills are known only if nvcc compiled it;
 * otherwise they are null.
 */
export async function readUserResources(
  kernel: UserKernel,
  options: BuildOptions,
  request: Omit<CodeRequest, 'language'>,
) {
  const { bytes, spills } = await compileImage(kernel, options, { ...request, language: 'sass' });
  const none = { spill_store_bytes: null, spill_load_bytes: null };
  return readKernels(bytes, request.architecture).map(({ name, resource }) => ({
    ...resource,
    ...(spills.get(name) ?? none),
  }));
}
