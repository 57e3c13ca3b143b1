import { expect, test } from 'vitest';
import { displayWidth } from '../../../electron/cli/table.ts';
import { Terminal } from '../../../electron/cli/terminal.ts';

/** Terminal with colours that writes into a text. */
function open(environment: NodeJS.ProcessEnv = { FORCE_COLOR: '1' }) {
  const output = { text: '' };
  const stream = { isTTY: true, write: (text: string) => (output.text += text) };
  return { terminal: new Terminal(stream, stream, environment), output };
}

const hostile = 'a\u001B]52;c;Y2Q=\u0007b\u001B[2J\u001B[31mc\u009B1A\rd\u202Ee';
const inert = 'a\\u001b]52;c;Y2Q=\\u0007b\\u001b[2J\\u001b[31mc\\u009b1A\\u000dd\\u202ee';

test('control characters in names are shown and not obeyed, in results, notes and errors', () => {
  const { terminal, output } = open();
  terminal.print(hostile);
  terminal.say(hostile);
  terminal.print(terminal.style('bold', hostile));
  expect(output.text).toBe(`${inert}\n${inert}\n\u001B[1m${inert}\u001B[22m\n`);
});

test('styles of the program are as they were, and take no room', () => {
  const { terminal, output } = open();
  const styled = terminal.style('red', 'error');
  expect(displayWidth(styled)).toBe(5);
  terminal.say(`${styled}\tnext\nline`);
  expect(output.text).toBe('\u001B[31merror\u001B[39m\tnext\nline\n');
});

test('JSON for scripts has none either', () => {
  const { terminal, output } = open({});
  terminal.printJson({ name: hostile });
  const isControl = (one: string): boolean => /\p{Cc}/u.test(one) && one !== '\n';
  expect([...output.text].filter(isControl)).toEqual([]);
  expect(JSON.parse(output.text)).toEqual({ name: hostile });
});
