/** Schema error in words for the author of the file: the allowed values, without internals of the program. */
export const schemaFault = (message: string): string =>
  message
    .replace(/^Invalid input: expected (.+), received undefined$/, 'is missing; allowed: $1')
    .replace(/^Invalid input: expected (.+), received (.+)$/, 'is of type $2; allowed: $1')
    .replace(/^Invalid (?:input|option): /, '');
