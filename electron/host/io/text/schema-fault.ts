/** What a schema says of a value, in words for whoever wrote the file: what is allowed, and nothing of the program's. */
export const schemaFault = (message: string): string =>
  message
    .replace(/^Invalid input: expected (.+), received undefined$/, 'is missing; allowed: $1')
    .replace(/^Invalid input: expected (.+), received (.+)$/, 'is of type $2; allowed: $1')
    .replace(/^Invalid (?:input|option): /, '');
