/** Text that another machine printed, as messages may show it. */

const LONGEST = 300;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of terminals begin with one
const COLOURS = /\u001B\[[0-9;?]*[A-Za-z]/g;
const CONTROLS = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

/** Without control characters, colours and what turns the direction of text; bounded. */
export const plainText = (text: string, longest = LONGEST): string =>
  text
    .slice(0, 20 * longest)
    .replace(COLOURS, '')
    .replace(CONTROLS, ' ')
    .trim()
    .slice(0, longest);

/** The last line that is not empty. */
export function plainLine(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => plainText(line));
  return (lines.findLast((line) => line !== '') ?? '').replace(/\.$/, '');
}
