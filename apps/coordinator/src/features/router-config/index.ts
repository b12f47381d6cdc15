/** The snapshot routers pull: publications and keys of one moment under one revision, or 304. */
export { RouterConfigModule } from './router-config.module.js';
