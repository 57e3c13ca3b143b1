/** An own variant's two files: the code, and the JSON of the same name that says what it replaces. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { BraggError, type Issue } from '../../contract/errors.ts';
import {
  isOwnId,
  OWN_TEXT_MOST,
  type OwnDescription,
  type OwnVariantInfo,
  ownDescriptionSchema,
} from '../../contract/own.ts';
import { suggest } from '../../contract/scenario/index.ts';
import type { TransportVariant as Variant } from '../addon.ts';
import { variantSources } from '../bench/sources.ts';
import { parseText } from '../scenarios/parse.ts';
import { readText } from '../scenarios/text/read.ts';

export interface OwnVariant {
  /** Name of the code file. */
  readonly id: string;
  /** Its full path. */
  readonly file: string;
  readonly text: string;
  readonly description: OwnDescription;
  readonly base: Variant;
  /** Of both files. */
  readonly sha256: string;
}

/** What a variant's files are told apart by: device code is compiled for the GPU, C++ for this processor. */
const endings = { cuda: /\.(cu|cuh)$/, cpu: /\.cpp$/ } as const;

/** What the engine makes before it makes a variant: replaced in a variant's library, it would be used by nobody. */
const engines = new Set(['registry.cpp', 'tables.cpp', 'energy_grid.cpp']);

export const extensionOf = ({ device }: Pick<Variant, 'device'>): '.cu' | '.cpp' =>
  device === 'cuda' ? '.cu' : '.cpp';

export const descriptionFile = (file: string): string => file.replace(/\.(cu|cpp)$/, '.json');

/** The files of a shipped variant that an own one may replace, its first one first. */
export async function replaceable(sources: string, base: Variant): Promise<readonly string[]> {
  const files = await variantSources(sources, base);
  return files
    .map((one) => one.path)
    .filter((one) => endings[base.device].test(one) && !engines.has(path.posix.basename(one)));
}

function issue(file: string, field: string, message: string, allowed: string | null): Issue {
  return { severity: 'error', file, path: field, line: null, column: null, message, value: null, allowed };
}

function refuse(issues: readonly Issue[]): never {
  const [first] = issues;
  throw new BraggError('invalid', `${first?.file ?? ''} ${first?.path ?? ''}: ${first?.message ?? ''}`, issues);
}

function describe(
  text: string,
  name: string,
  variants: readonly Variant[],
): { description: OwnDescription; base: Variant } {
  const parsed = parseText(text, name);
  if (parsed.value === undefined || parsed.issues.length > 0) refuse(parsed.issues);
  const checked = ownDescriptionSchema.safeParse(parsed.value);
  if (!checked.success) {
    refuse(checked.error.issues.map((found) => issue(name, found.path.join('.'), found.message, null)));
  }
  const description = checked.data;
  const base = variants.find(({ id }) => id === description.base);
  if (base === undefined) {
    const known = variants.map(({ id }) => id);
    const near = suggest(description.base, known);
    const hint = near === null ? '' : ` (did you mean ${near}?)`;
    const allowed = known.join(', ');
    refuse([
      issue(name, 'base', `${JSON.stringify(description.base)} is not a variant${hint}; allowed: ${allowed}`, allowed),
    ]);
  }
  return { description, base };
}

async function read(file: string): Promise<string> {
  const found = await readText(file, OWN_TEXT_MOST);
  if (!found.ok) throw new BraggError('not-found', `${path.basename(file)}: ${found.reason}`);
  return found.text;
}

export function hashOf(text: string, description: string): string {
  return createHash('sha256').update(`${text.length}\0`).update(text).update(description).digest('hex');
}

/** Reads both files. `sources` is the folder with the kernels of all workloads. Throws a BraggError. */
export async function readOwn(file: string, variants: readonly Variant[], sources: string): Promise<OwnVariant> {
  const id = path.basename(file);
  if (!isOwnId(id)) {
    throw new BraggError(
      'invalid',
      `${id} cannot be an own variant; allowed: letters, digits, - _ . and .cu or .cpp at the end`,
    );
  }
  const text = await read(file);
  const json = descriptionFile(file);
  const described = await read(json).catch((error: BraggError) => {
    const says = `${error.message}. An own variant needs it beside the code: {"kind": "variant", "version": 1, "base": …, "replaces": …, "title": …}`;
    throw new BraggError(error.code, says);
  });
  const name = path.basename(json);
  const { description, base } = describe(described, name, variants);
  if (extensionOf(base) !== path.extname(id)) {
    const wanted = `a ${extensionOf(base)} file, because it runs on ${base.device === 'cuda' ? 'the GPU' : 'the CPU'}`;
    refuse([issue(name, 'base', `${base.id} is the base of ${id}; allowed: ${wanted}`, wanted)]);
  }
  const allowed = await replaceable(sources, base);
  if (!allowed.includes(description.replaces)) {
    const says = `${JSON.stringify(description.replaces)} is not a file of ${base.id} that can be replaced`;
    refuse([issue(name, 'replaces', `${says}; allowed: ${allowed.join(', ')}`, allowed.join(', '))]);
  }
  return { id, file: path.resolve(file), text, description, base, sha256: hashOf(text, described) };
}

export function infoOf({ id, file, description, base, sha256 }: OwnVariant, trusted: boolean): OwnVariantInfo {
  return { id, place: file, description: { ...description }, device: base.device, sha256, trusted };
}

/** As lists of variants show it. */
export function variantOf({ id, description, base }: OwnVariant): Variant {
  const { title, changes, replaces } = description;
  return { ...base, id, title, changes: changes || `Own code for ${replaces}`, buildsOn: base.id, source: id };
}
