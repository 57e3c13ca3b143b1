/** Parses the code of a kernel into lines: SASS as printed by nvdisasm, and PTX as written by nvcc. */
import type { CodeLine } from '../../../contract/launches.ts';

/** Maximum number of lines in a listing. Our largest kernel has 12,000. */
export const MAX_LINES = 40_000;
/** Maximum length of a line in characters. Longer lines are not instructions. */
const MAX_CHARACTERS = 1000;

export interface Listing {
  readonly lines: readonly CodeLine[];
  /** Source files to which the lines refer, with the names that the compiler wrote. */
  readonly files: readonly string[];
  /** Number of lines that exceed the limit and are left out. */
  readonly dropped: number;
}

/** Collects lines up to the limit. Source files are numbered in the order of their first line. */
class LineCollector {
  readonly #lines: CodeLine[] = [];
  readonly #files = new Map<string, number>();
  #dropped = 0;
  #at: { readonly file: number; readonly line: number } | null = null;

  setSourceLine(file: string, line: number): void {
    const known = this.#files.get(file) ?? this.#files.size;
    this.#files.set(file, known);
    this.#at = { file: known, line };
  }

  add(address: number | null, text: string): void {
    if (this.#lines.length >= MAX_LINES) {
      this.#dropped += 1;
      return;
    }
    // A label has no source line of its own.
    const { file, line } = (address === null && text.endsWith(':') ? null : this.#at) ?? { file: null, line: null };
    this.#lines.push({ address, text: text.slice(0, MAX_CHARACTERS), file, line });
  }

  get listing(): Listing {
    return { lines: this.#lines, files: [...this.#files.keys()], dropped: this.#dropped };
  }
}

const INSTRUCTION = /^\s*\/\*([0-9a-f]{4,8})\*\/\s+(.+?)\s*;?\s*(?:\/\*\s*0x[0-9a-f]+\s*\*\/\s*)?$/i;
const SOURCE_LINE = /^\s*\/\/## File "([^"]*)", line (\d+)/;
const SECTION = /^\s*\/\/-+ \.text\.([\w$.]+) -+/;
const LABEL = /^\s*(\.?[\w$.]+):\s*$/;
const SPACES = /\s+/g;

/** Parses one kernel from the output of `nvdisasm --print-code --print-line-info`. */
export function parseSass(text: string, kernel: string): Listing {
  const out = new LineCollector();
  let inside = false;
  for (const line of text.split('\n')) {
    const section = SECTION.exec(line)?.[1];
    if (section !== undefined) inside = section === kernel;
    if (!inside) continue;
    const place = SOURCE_LINE.exec(line);
    if (place !== null) {
      out.setSourceLine(place[1] ?? '', Number(place[2]));
      continue;
    }
    const [, address, instruction] = INSTRUCTION.exec(line) ?? [];
    if (address !== undefined && instruction !== undefined) {
      out.add(Number.parseInt(address, 16), instruction.replace(SPACES, ' '));
      continue;
    }
    const label = LABEL.exec(line)?.[1];
    if (label?.startsWith('.L_') === true) out.add(null, `${label}:`);
  }
  return out.listing;
}

const FILE = /^\s*\.file\s+(\d+)\s+"((?:[^"\\]|\\.)*)"/gm;
const LOC = /^\s*\.loc\s+(\d+)\s+(\d+)/;

/** Offset after the block whose opening brace is at `open`; the end of the text if the block is not closed. */
function findClosingBrace(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x7b) depth += 1;
    if (code === 0x7d) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}

/** Names of the kernels in a PTX text. */
export const ptxKernelNames = (ptx: string): readonly string[] =>
  [...ptx.matchAll(/\.entry\s+([\w$]+)/g)].map(([, name = '']) => name);

/** Parses the body of one kernel; null if the text does not contain it. */
export function parsePtx(ptx: string, kernel: string): Listing | null {
  const head = new RegExp(`^.*\\.entry\\s+${kernel.replaceAll('$', '\\$')}\\b`, 'm').exec(ptx);
  if (head === null) return null;
  const open = ptx.indexOf('{', head.index);
  const files = new Map([...ptx.matchAll(FILE)].map(([, number = '', name = '']) => [number, name]));
  const out = new LineCollector();
  for (const line of ptx.slice(head.index, findClosingBrace(ptx, open < 0 ? ptx.length : open)).split('\n')) {
    const [, file = '', number] = LOC.exec(line) ?? [];
    if (number !== undefined) out.setSourceLine(files.get(file) ?? '', Number(number));
    const plain = line
      .replace(/\s*\/\/.*$/, '')
      .replace(SPACES, ' ')
      .trim();
    if (number === undefined && plain !== '') out.add(null, plain);
  }
  return out.listing;
}

/** Target of a PTX text, such as `compute_80`. */
export const ptxTarget = (ptx: string): string => `compute_${/^\s*\.target\s+sm_(\w+)/m.exec(ptx)?.[1] ?? 'unknown'}`;
