/**
 * Expands the files that a user kernel includes from its own folder. They are hashed together with the kernel, because
 * the user has to trust everything that is compiled. Includes of shipped and system headers are left as they are; all
 * other includes are errors.
 */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { BraggError, type Issue } from '../../../contract/errors.ts';
import { USER_KERNEL_TEXT_MAX } from '../../../contract/user-kernels.ts';
import { readText } from '../../io/text/read.ts';
import { defineThreadTask } from '../../io/threads/task.ts';

export interface IncludedFile {
  /** Path relative to the folder of the kernel. */
  readonly name: string;
  readonly text: string;
}

interface ExpandedKernel {
  /** Text of the kernel with its includes expanded. `#line` directives preserve file names and line numbers. */
  readonly expandedText: string;
  /** Included files, each listed once, in the order of their first use. */
  readonly included: readonly IncludedFile[];
  /** Errors for includes that are not allowed, at their lines. If there are any, the kernel is not compiled. */
  readonly includeErrors: readonly Issue[];
}

/**
 * Pattern for a directive that includes a file. It needs no backtracking, because a line may be as long as the file.
 */
const DIRECTIVE = /^[ \t\v\f]*(?:#|%:)[ \t\v\f]*(?:include|include_next|import|embed)\b([^\n]*)$/;
const OPERAND = /^(?:"([^"\n]+)"|<([^>\n]+)>)/;
/** Maximum number of includes, because each is looked up on disk. */
const MAX_INCLUDES = 1000;
const ALLOWED_TEXT = 'files in the folder of the kernel, shipped headers, and system headers in <>';

function throwIncludeError(file: string, line: number, value: string, why: string): never {
  const message = `includes ${value}, ${why}; allowed: ${ALLOWED_TEXT}`;
  const issue: Issue = { severity: 'error', file, path: '', line, column: null, message, value, allowed: ALLOWED_TEXT };
  throw new BraggError('invalid', `${file}:${line}: ${message}`, [issue]);
}

const isWithin = (folder: string, file: string): boolean => {
  const from = path.relative(folder, file);
  return from !== '' && !from.startsWith('..') && !path.isAbsolute(from);
};

/** Replaces each comment by a space. A comment that is not closed is left as it is. */
function withoutComments(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let begin = text.indexOf('/*'); begin !== -1; begin = text.indexOf('/*', from)) {
    const end = text.indexOf('*/', begin + 2);
    if (end === -1) break;
    parts.push(text.slice(from, begin));
    from = end + 2;
  }
  return [...parts, text.slice(from)].join(' ');
}

/** Operand of an include directive as written, such as `"tile.hpp"`; null for other lines. */
const operandOf = (line: string): string | null => DIRECTIVE.exec(line)?.[1]?.trim() ?? null;

/** Operands of all include directives. As in a compiler, continued lines are joined and comments removed first. */
function operandsOf(text: string): readonly string[] {
  const joined = withoutComments(text.replace(/\\[ \t]*\r?\n/g, ''));
  return joined.split('\n').flatMap((line) => operandOf(line) ?? []);
}

class IncludeExpander {
  readonly #folder: string;
  readonly #included = new Map<string, string>();
  readonly #once = new Set<string>();
  readonly #open: string[] = [];
  #bytes = 0;
  #count = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get included(): readonly IncludedFile[] {
    return [...this.#included].map(([name, text]) => ({ name, text }));
  }

  async expand(name: string, text: string): Promise<string> {
    const lines = text.split('\n');
    const seen = new Set<string>();
    const out: string[] = [];
    this.#open.push(name);
    for (const [at, line] of lines.entries()) {
      const operand = operandOf(line);
      if (operand !== null) seen.add(withoutComments(operand).trim());
      const inner = operand === null ? null : await this.#expandOperand(name, at + 1, operand);
      if (inner !== null) out.push(inner, `#line ${at + 2} "${name}"`);
      else if (this.#open.length > 1 && /^[ \t]*#[ \t]*pragma[ \t]+once\b/.test(line)) {
        this.#once.add(name);
        out.push('');
      } else out.push(line);
    }
    this.#open.pop();
    const hidden = operandsOf(text).find((operand) => !seen.has(operand));
    if (hidden !== undefined) throwIncludeError(name, 1, hidden, 'on a line that is continued or commented');
    return out.join('\n');
  }

  /**
   * Expanded text of an included file in the kernel's folder. Null for shipped and system files, which the compiler
   * includes itself.
   */
  async #expandOperand(from: string, line: number, operand: string): Promise<string | null> {
    const [, quoted, angled] = OPERAND.exec(operand) ?? [];
    const name = quoted ?? angled;
    this.#count += 1;
    if (this.#count > MAX_INCLUDES) throwIncludeError(from, line, operand, `the ${MAX_INCLUDES + 1}st include`);
    if (name === undefined) throwIncludeError(from, line, operand || 'nothing', 'which is not a name in quotes');
    const leads = path.isAbsolute(name) || /^[A-Za-z]:|^[\\/]/.test(name);
    const file = path.resolve(this.#folder, path.dirname(from), name);
    if (leads || (/(^|[\\/])\.\.([\\/]|$)/.test(name) && !isWithin(this.#folder, file))) {
      throwIncludeError(from, line, operand, 'which is outside the folder of the kernel');
    }
    if (angled !== undefined || !isWithin(this.#folder, file)) return null;
    const real = await realpath(file).catch(() => null);
    if (real === null) return null;
    if (!isWithin(await realpath(this.#folder), real)) {
      throwIncludeError(from, line, operand, 'a link to a file outside of the folder of the kernel');
    }
    const key = path.relative(this.#folder, file).replaceAll('\\', '/');
    // A file that includes itself expands to nothing, as if it had an include guard.
    if (this.#once.has(key) || this.#open.includes(key)) return '';
    const text = await this.#read(key, file, { from, line, operand });
    this.#bytes += text.length;
    if (this.#bytes > USER_KERNEL_TEXT_MAX)
      throwIncludeError(from, line, operand, 'which makes all included files together larger than 1 MiB');
    return `#line 1 "${key}"\n${await this.expand(key, text)}`;
  }

  async #read(key: string, file: string, at: { from: string; line: number; operand: string }): Promise<string> {
    const known = this.#included.get(key);
    if (known !== undefined) return known;
    const found = await readText(file, USER_KERNEL_TEXT_MAX);
    if (!found.ok) throwIncludeError(at.from, at.line, at.operand, `which ${found.reason}`);
    this.#included.set(key, found.text);
    return found.text;
  }
}

interface Kernel {
  readonly file: string;
  readonly text: string;
}

async function expandKernel({ file, text }: Kernel): Promise<ExpandedKernel> {
  const reader = new IncludeExpander(path.dirname(path.resolve(file)));
  try {
    const expandedText = await reader.expand(path.basename(file), text);
    return { expandedText, included: reader.included, includeErrors: [] };
  } catch (error) {
    if (!(error instanceof BraggError)) throw error;
    return { expandedText: text, included: reader.included, includeErrors: error.issues };
  }
}

const closureOnThread = defineThreadTask('read the includes of a kernel', expandKernel);

/** Maximum length of a text that is expanded in the current thread; starting a worker thread would need longer. */
const SMALL_CHARACTERS = 60_000;

/** Expands the includes of a kernel. `file` is its path, `text` its content. */
export const expandIncludes = (file: string, text: string): Promise<ExpandedKernel> =>
  (text.length <= SMALL_CHARACTERS ? expandKernel : closureOnThread)({ file, text });
