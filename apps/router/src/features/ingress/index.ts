/**
 * The public and the internal listener: accept requests, walk each through its steps, and end it. The front port keeps
 * what carries a request out of the steps; `modes` has a folder per way of finding out who is called.
 */
export type { GroupView } from '../routing/index.js';
export type { DataPlane, DataPlaneSettings, ListenAddress } from './data-plane.port.js';
export { createDataPlane } from './data-plane.service.js';
