import {
  BACKING_SERVICES,
  type BackingServiceName,
  type Installation,
  type Progress,
} from '@penstock/backing-services';
import { TOOLS_DIR } from '../repository.js';

export interface ProvisionResult {
  installations: Record<BackingServiceName, Installation>;
  /** What could not be had, each with what to do about it. */
  problems: string[];
}

/** Finds or fetches the programs of all backing services; reports all that are missing, not only the first. */
export async function provisionAll(progress: Progress): Promise<ProvisionResult> {
  const installations: Partial<Record<BackingServiceName, Installation>> = {};
  const problems: string[] = [];
  for (const name of Object.keys(BACKING_SERVICES) as BackingServiceName[]) {
    try {
      installations[name] = await BACKING_SERVICES[name].provision({ toolsDir: TOOLS_DIR, progress });
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  return { installations: installations as ProvisionResult['installations'], problems };
}
