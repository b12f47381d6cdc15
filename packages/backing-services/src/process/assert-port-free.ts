import { BackingServiceError } from '../backing-service.error.js';
import { isPortFree } from './free-port.js';

/** @throws BackingServiceError that names the port and the flag that moves the service. */
export async function assertPortFree(port: number, title: string, flag?: string): Promise<void> {
  if (await isPortFree(port)) return;
  const advice = flag ? `: stop what listens there or choose another port with ${flag}.` : '.';
  throw new BackingServiceError(`Port ${port} for ${title} is taken${advice}`);
}
