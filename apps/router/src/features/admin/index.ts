export { adminRoutes } from './admin-routes.js';
export { AdminServer } from './admin-server.js';
export type { NodeFacts, NodeView } from './node-status.js';
