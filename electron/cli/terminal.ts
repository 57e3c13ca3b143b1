/** Output streams and styles. Results go to standard output, everything else to standard error. */
import { randomInt } from 'node:crypto';
import { styleText } from 'node:util';

/** Columns of a text page outside a terminal. */
export const WIDTH = 120;

type Style = Parameters<typeof styleText>[0];

const ESC = '\u001B';

interface StyleMarks {
  readonly key: string;
  /** Control characters except line feed and tab, and characters that change the text direction. */
  readonly controls: RegExp;
}
let styleMarks: StyleMarks | null = null;

/**
 * Style marks contain a random number that no file can contain. All other control characters in names and messages are
 * escaped: they could move the cursor, fill the clipboard or hide output.
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

/** Escapes text for output on a terminal. */
export function escapeForTerminal(text: string): string {
  return text.replace(makeStyleMarks().controls, (found, style?: string) =>
    style === undefined ? escapeCharacter(found) : `${ESC}[${style}m`,
  );
}

/** Escapes control characters but retains the style marks of this process. */
const escapeControls = (text: string): string =>
  text.replace(makeStyleMarks().controls, (found, style?: string) =>
    style === undefined ? escapeCharacter(found) : found,
  );
const PLAIN_STYLE = new RegExp(`${ESC}\\[(\\d+)m`, 'g');

/** The parts of a writable stream that output uses. */
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

  /** Prints the result as one JSON document. Non-finite numbers become null. */
  printJson(value: unknown): void {
    // JSON escapes only some control characters, and none that change the text direction.
    this.stdout.write(`${escapeControls(JSON.stringify(value, null, 2))}\n`);
  }

  /** Prints a line to standard error: notes, warnings, errors. */
  say(line = ''): void {
    this.stderr.write(`${escapeForTerminal(line)}\n`);
  }

  /** Standard error, for lines that redraw themselves. */
  get live(): OutputStream {
    return this.stderr;
  }

  /** Whether standard error is a terminal. */
  get isLive(): boolean {
    return this.stderr.isTTY === true && this.environment['TERM'] !== 'dumb';
  }

  /** Columns of standard output. Null if it is not a terminal. */
  get width(): number | null {
    return this.stdout.isTTY === true ? this.stdout.columns || null : null;
  }

  /** Columns to wrap text to. */
  get pageWidth(): number {
    return this.width ?? WIDTH;
  }

  /** Styles text for standard output, if it shows styles. Use the result only with this terminal. */
  style(style: Style, text: string): string {
    return this.styled(this.stdout, style, text);
  }

  /** Styles text for standard error. */
  styleSaid(style: Style, text: string): string {
    return this.styled(this.stderr, style, text);
  }

  /** https://no-color.org: set and not empty means no colour. FORCE_COLOR overrules a missing terminal. */
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
