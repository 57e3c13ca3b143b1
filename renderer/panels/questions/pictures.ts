/** The pictures of questions, as files of the page. */
const files = import.meta.glob('../../../assets/questions/*.webp', {
  query: '?url',
  import: 'default',
  eager: true,
}) as Readonly<Record<string, string>>;

const byName = new Map(Object.entries(files).map(([file, url]) => [file.replace(/^.*\//, ''), url]));

/** Undefined where it was not made yet. */
export const pictureOf = (question: string, theme: 'light' | 'dark'): string | undefined =>
  byName.get(`${question}-${theme}.webp`);
