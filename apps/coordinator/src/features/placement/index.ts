/** Where circuits of every kind go: the worker, the slot on its frontend, and the address that makes. */
export { PlacementBoard, type CircuitWish, type Placed } from './placement-board.js';
export { endpointUrl, type AddressedCircuit } from './domain/endpoint-url.js';
export type { WorkerAddress } from './domain/placement-worker.js';
