import { selectChecks } from '../checking/select-checks.js';
import type { CoordinatorCheck } from './coordinator-check.js';
import { AUTHENTICATION_CHECKS } from './checks/authentication.checks.js';

/** The suite, in the order of the report. */
export const COORDINATOR_CHECKS: readonly CoordinatorCheck[] = [...AUTHENTICATION_CHECKS];

/** What the suite would check. @param only - pattern of ids or sections */
export function coordinatorCheckList(
  only?: string,
): readonly Pick<CoordinatorCheck, 'id' | 'section' | 'title'>[] {
  return selectChecks(COORDINATOR_CHECKS, only).map(({ id, section, title }) => ({ id, section, title }));
}
