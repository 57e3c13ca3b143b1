/** Output streams and text styles. Results are written to standard output, everything else to standard error. */
import { randomInt } from 'node:crypto';
import { styleText } from 'node:util';

/** Width of text outside a terminal, columns. */
export const WIDTH = 120;

type Style = Parameters<typeof styleText>[0];

const ESC = '\u001B';

interface StyleMarks {
  readonly key: string;
  /** Matches control characters except line feed and tab, and characters that change the text direction. */
  readonly controls: RegExp;
}
let styleMarks: StyleMarks | null = null;

/**
 * Creates the marks that switch styles in text. They contain a random number, so no file can contain them. All other
 * control characters in names and messages are escaped, because they could move the cursor, change the clipboard or
 * hide output.
 */
function makeStyleMarks(): StyleMarks {
  if (styleMarks !== null) return styleMarks;
  const key = `${randomInt(1000, 10_000)};${randomInt(1000, 10_000)}`;
  const controls = new RegExp(
    `${ESC}\\[${key};(\\d+)m|[\\u0000-\\u0008\\u000B-\\u001F\\u007F-\\u009F\\u202A-\\u202E\\u2066-\\u2069]`,
    'g',
  );
  styleMarks = { key, controls };
  return styleMarks;
}
const escapeCharacter = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Escapes control characters in text for output on a terminal. */
export function escapeForTerminal(text: string): string {
  return text.replace(makeStyleMarks().controls, (found, style?: string) =>
    style === undefined ? escapeCharacter(found) : `${ESC}[${style}m`,
  );
}

/** Escapes control characters except the style marks of this process. */
const escapeControls = (text: string): string =>
  text.replace(makeStyleMarks().controls, (found, style?: string) =>
    style === undefined ? escapeCharacter(found) : found,
  );
const PLAIN_STYLE = new RegExp(`${ESC}\\[(\\d+)m`, 'g');

/** Members of a writable stream that are used for output. */
interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export class Terminal {
  private readonly stdout: OutputStream;
  private readonly stderr: OutputStream;
  private readonly environment: NodeJS.ProcessEnv;

  constructor(stdout: OutputStream, stderr: OutputStream, environment: NodeJS.ProcessEnv) {
    this.stdout = stdout;
    this.stderr = stderr;
    this.environment = environment;
  }

  /** Prints a line of the result. */
  print(line = ''): void {
    this.stdout.write(`${escapeForTerminal(line)}\n`);
  }

  /** Prints the result as a JSON document. Numbers that are not finite become null. */
  printJson(value: unknown): void {
    // Escape all control characters, because JSON.stringify escapes only some, and none that change the text direction.
    this.stdout.write(`${escapeControls(JSON.stringify(value, null, 2))}\n`);
  }

  /** Prints a line to standard error, for notes, warnings and errors. */
  printNote(line = ''): void {
    this.stderr.write(`${escapeForTerminal(line)}\n`);
  }

  /** Standard error, for lines that are redrawn. */
  get errorStream(): OutputStream {
    return this.stderr;
  }

  /** Whether standard error is a terminal. */
  get isErrorTerminal(): boolean {
    return this.stderr.isTTY === true && this.environment['TERM'] !== 'dumb';
  }

  /** Width of standard output in columns; null if it is not a terminal. */
  get width(): number | null {
    return this.stdout.isTTY === true ? this.stdout.columns || null : null;
  }

  /** Width in columns to which text is wrapped. */
  get pageWidth(): number {
    return this.width ?? WIDTH;
  }

  /** Styles text for standard output, if that supports styles. Only this terminal can print the result. */
  style(style: Style, text: string): string {
    return this.styled(this.stdout, style, text);
  }

  /** Styles text for standard error. */
  styleNote(style: Style, text: string): string {
    return this.styled(this.stderr, style, text);
  }

  /**
   * NO_COLOR disables styles if it is set and not empty (https://no-color.org). FORCE_COLOR enables them without a
   * terminal.
   */
  private styled(stream: OutputStream, style: Style, text: string): string {
    const { NO_COLOR, FORCE_COLOR, TERM } = this.environment;
    const refused = NO_COLOR !== undefined && NO_COLOR !== '';
    const forced = FORCE_COLOR !== undefined && FORCE_COLOR !== '' && FORCE_COLOR !== '0';
    const wanted = forced || (stream.isTTY === true && TERM !== 'dumb' && FORCE_COLOR !== '0');
    if (!wanted || refused) return text;
    return styleText(style, escapeControls(text), { validateStream: false }).replace(
      PLAIN_STYLE,
      `${ESC}[${makeStyleMarks().key};$1m`,
    );
  }
}
