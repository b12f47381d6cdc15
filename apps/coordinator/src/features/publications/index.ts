/** Published model names of an authority: listing, upsert, removal. */
export { refusePublishedEndpoint } from './adapters/refuse-published-endpoint.js';
export { readPublications } from './adapters/publication.store.js';
export { PublicationsModule } from './publications.module.js';
