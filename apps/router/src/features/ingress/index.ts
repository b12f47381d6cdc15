/**
 * The `/v1` listener: accepts requests, walks each through its steps, and ends it. The front port keeps what carries a
 * request out of the steps.
 */
export type { GroupView } from '../routing/index.js';
export type { DataPlane, DataPlaneSettings, ListenAddress } from './data-plane.port.js';
export { createDataPlane } from './data-plane.service.js';
