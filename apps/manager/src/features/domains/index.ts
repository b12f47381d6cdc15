/** Domains: the outermost grouping of projects and users. */
export { domainNameSchema } from './domains.schemas.js';
export { DomainsModule } from './domains.module.js';
