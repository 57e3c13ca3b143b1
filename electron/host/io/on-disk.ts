/** A packaged program is one archive; the files that other programs read are next to it. */

/** Path of the file outside the archive; the same path if there is no archive. */
export const onDisk = (file: string): string => file.replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked');
