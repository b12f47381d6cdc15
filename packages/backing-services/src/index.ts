export { BACKING_SERVICES, type BackingServiceName } from './backing-services.js';
export type {
  BackingService,
  BackingServiceStart,
  Installation,
  Progress,
  Provisioning,
  RunningService,
} from './backing-service.port.js';
export { BackingServiceError } from './backing-service.error.js';
export { freePort, freePortBlock, isPortFree } from './process/free-port.js';
export {
  ManagedProcess,
  type ProcessExit,
  type ProcessSpec,
  type StopStep,
} from './process/managed-process.js';
export { isAlive, processStartMark } from './process/process-identity.js';
export { logTail } from './process/log-tail.js';
export { waitUntil } from './process/wait-until.js';
export { startThrowawayService, type ThrowawayService } from './throwaway-service.js';
