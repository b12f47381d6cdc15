/** Router authorities and the one revision each has over its publications and keys. Registration creates the row. */
export { bumpRevision, lockAuthority, readAuthority, type Authority } from './authority-revision.js';
