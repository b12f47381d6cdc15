/** Published names with their aliases and weighted mappings onto deployments. */
export { dropFromPublications } from './drop-from-publications.js';
export { requireUnpublished } from './require-unpublished.js';
export { PublicationsModule } from './publications.module.js';
