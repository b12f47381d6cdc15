const BEGIN = '<!-- config:begin -->';
const END = '<!-- config:end -->';

/** The formatter would pad the columns, and the page would never equal what is generated. */
const UNFORMATTED = '<!-- prettier-ignore-start -->';
const FORMATTED = '<!-- prettier-ignore-end -->';

/**
 * Replaces what is between the markers of a page.
 * @throws Error when the page has no markers, in their order
 */
export function replaceBetweenMarkers(page: string, table: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`The page needs the lines ${BEGIN} and ${END}.`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${UNFORMATTED}\n\n${table}\n${FORMATTED}\n\n${page.slice(end)}`;
}
