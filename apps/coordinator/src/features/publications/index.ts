/** Published model names of an authority: listing, upsert, removal. */
export { readPublications } from './adapters/publication.store.js';
export { PublicationsModule } from './publications.module.js';
