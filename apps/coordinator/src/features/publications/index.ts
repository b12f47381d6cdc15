/** Published model names of an authority: listing, upsert, removal. */
export { readPublications } from './adapters/publication.store.js';
export { refusePublishedInternals } from './adapters/refuse-internal-publication.js';
export { PublicationsModule } from './publications.module.js';
