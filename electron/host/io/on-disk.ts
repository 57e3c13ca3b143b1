/** In a package the program is one archive, and beside it lie the files that others than the program itself read. */

/** Where the file lies outside the archive; the same path where there is none. */
export const onDisk = (file: string): string => file.replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked');
