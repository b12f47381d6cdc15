/** What may go into a header of an answer as it came. */
export const HEADER_TOKEN = /^[\x21-\x7e]{1,128}$/;
