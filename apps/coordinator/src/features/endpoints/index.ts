/** Endpoints (deployments as managers call them): placed on a router authority, with the routes that serve them. */
export { EndpointsModule } from './endpoints.module.js';
