import type { Progress } from '@penstock/backing-services';
import type { ControlRequest } from './control-protocol.js';
import type { StackSupervisor } from './stack-supervisor.js';

/** Does what a later command asks of a running stack. */
export async function handleControl(
  request: ControlRequest,
  supervisor: StackSupervisor,
  stop: () => Promise<void>,
  progress: Progress,
): Promise<void> {
  if (request.command === 'stop') return stop();
  const service = supervisor.service(request.name);
  if (request.action !== 'start') {
    await service.stop();
    progress(`${service.name} stopped.`);
  }
  if (request.action !== 'stop') {
    await service.start();
    progress(`${service.name} is ready.`);
  }
}
