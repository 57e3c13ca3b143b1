/** Listings of one kernel: SASS in the format of nvdisasm, and PTX in the format of nvcc. */
import type { CodeLine } from '../../../contract/launches.ts';

/** Limit of lines; our largest kernel has 12,000. */
export const MAX_LINES = 40_000;
/** Longer lines are not instructions. */
const MAX_CHARACTERS = 1000;

export interface Listing {
  readonly lines: readonly CodeLine[];
  /** Source files of the lines, as named by the compiler. */
  readonly files: readonly string[];
  /** Number of lines beyond the limit. */
  readonly dropped: number;
}

/** Collects lines up to the limit; files get numbers in the order of their first line. */
class Lines {
  readonly #lines: CodeLine[] = [];
  readonly #files = new Map<string, number>();
  #dropped = 0;
  #at: { readonly file: number; readonly line: number } | null = null;

  from(file: string, line: number): void {
    const known = this.#files.get(file) ?? this.#files.size;
    this.#files.set(file, known);
    this.#at = { file: known, line };
  }

  add(address: number | null, text: string): void {
    if (this.#lines.length >= MAX_LINES) {
      this.#dropped += 1;
      return;
    }
    // A label does not belong to a source line.
    const { file, line } = (address === null && text.endsWith(':') ? null : this.#at) ?? { file: null, line: null };
    this.#lines.push({ address, text: text.slice(0, MAX_CHARACTERS), file, line });
  }

  get listing(): Listing {
    return { lines: this.#lines, files: [...this.#files.keys()], dropped: this.#dropped };
  }
}

const INSTRUCTION = /^\s*\/\*([0-9a-f]{4,8})\*\/\s+(.+?)\s*;?\s*(?:\/\*\s*0x[0-9a-f]+\s*\*\/\s*)?$/i;
const PLACE = /^\s*\/\/## File "([^"]*)", line (\d+)/;
const SECTION = /^\s*\/\/-+ \.text\.([\w$.]+) -+/;
const LABEL = /^\s*(\.?[\w$.]+):\s*$/;
const SPACES = /\s+/g;

/** Reads one kernel from the output of `nvdisasm --print-code --print-line-info`. */
export function readSass(text: string, kernel: string): Listing {
  const out = new Lines();
  let inside = false;
  for (const line of text.split('\n')) {
    const section = SECTION.exec(line)?.[1];
    if (section !== undefined) inside = section === kernel;
    if (!inside) continue;
    const place = PLACE.exec(line);
    if (place !== null) {
      out.from(place[1] ?? '', Number(place[2]));
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

/** End of the block whose opening brace is at `open`; the end of the text if it is not closed. */
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
export const kernelsOfPtx = (ptx: string): readonly string[] =>
  [...ptx.matchAll(/\.entry\s+([\w$]+)/g)].map(([, name = '']) => name);

/** Body of one kernel; null if the text has no kernel with that name. */
export function readPtx(ptx: string, kernel: string): Listing | null {
  const head = new RegExp(`^.*\\.entry\\s+${kernel.replaceAll('$', '\\$')}\\b`, 'm').exec(ptx);
  if (head === null) return null;
  const open = ptx.indexOf('{', head.index);
  const files = new Map([...ptx.matchAll(FILE)].map(([, number = '', name = '']) => [number, name]));
  const out = new Lines();
  for (const line of ptx.slice(head.index, findClosingBrace(ptx, open < 0 ? ptx.length : open)).split('\n')) {
    const [, file = '', number] = LOC.exec(line) ?? [];
    if (number !== undefined) out.from(files.get(file) ?? '', Number(number));
    const plain = line
      .replace(/\s*\/\/.*$/, '')
      .replace(SPACES, ' ')
      .trim();
    if (number === undefined && plain !== '') out.add(null, plain);
  }
  return out.listing;
}

/** Target GPU of a PTX text: `compute_80`. */
export const targetOfPtx = (ptx: string): string => `compute_${/^\s*\.target\s+sm_(\w+)/m.exec(ptx)?.[1] ?? 'unknown'}`;
