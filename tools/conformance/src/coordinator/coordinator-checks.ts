import { selectChecks } from '../checking/select-checks.js';
import { AUTHENTICATION_CHECKS } from './checks/authentication.checks.js';
import { CIRCUIT_CHECKS } from './checks/circuits.checks.js';
import { COLOCATION_CHECKS } from './checks/colocation.checks.js';
import { ENDPOINT_CHECKS } from './checks/endpoints.checks.js';
import { ERROR_CHECKS } from './checks/errors.checks.js';
import { EVENT_CHECKS } from './checks/events.checks.js';
import { HAND_OVER_CHECKS } from './checks/hand-over.checks.js';
import { HEARTBEAT_CHECKS } from './checks/heartbeat.checks.js';
import { INTERACTIVE_CHECKS } from './checks/interactive.checks.js';
import { LINEAGE_CHECKS } from './checks/lineage.checks.js';
import { NEGOTIATION_CHECKS } from './checks/negotiation.checks.js';
import { PICKING_CHECKS } from './checks/picking.checks.js';
import { PLACEMENT_CHECKS } from './checks/placement.checks.js';
import { READ_OUT_CHECKS } from './checks/read-outs.checks.js';
import { REGISTRATION_CHECKS } from './checks/registration.checks.js';
import { REQUEST_CHECKS } from './checks/requests.checks.js';
import { ROUTE_CHECKS } from './checks/routes.checks.js';
import { ROUTER_KEY_CHECKS } from './checks/router-keys.checks.js';
import { ROUTER_CHECKS } from './checks/router.checks.js';
import { SLOT_CHECKS } from './checks/slots.checks.js';
import { TOKEN_CHECKS } from './checks/tokens.checks.js';
import { VISIBILITY_CHECKS } from './checks/visibility.checks.js';
import type { CoordinatorCheck } from './coordinator-check.js';

/** The suite, in the order of the report. */
export const COORDINATOR_CHECKS: readonly CoordinatorCheck[] = [
  ...AUTHENTICATION_CHECKS,
  ...REQUEST_CHECKS,
  ...ERROR_CHECKS,
  ...NEGOTIATION_CHECKS,
  ...REGISTRATION_CHECKS,
  ...HEARTBEAT_CHECKS,
  ...SLOT_CHECKS,
  ...PLACEMENT_CHECKS,
  ...PICKING_CHECKS,
  ...CIRCUIT_CHECKS,
  ...ENDPOINT_CHECKS,
  ...ROUTE_CHECKS,
  ...EVENT_CHECKS,
  ...TOKEN_CHECKS,
  ...READ_OUT_CHECKS,
  ...HAND_OVER_CHECKS,
  ...INTERACTIVE_CHECKS,
  ...VISIBILITY_CHECKS,
  ...LINEAGE_CHECKS,
  ...ROUTER_CHECKS,
  ...ROUTER_KEY_CHECKS,
  ...COLOCATION_CHECKS,
];

/** What the suite would check. @param only - pattern of ids or sections */
export function coordinatorCheckList(
  only?: string,
): readonly Pick<CoordinatorCheck, 'id' | 'section' | 'title'>[] {
  return selectChecks(COORDINATOR_CHECKS, only).map(({ id, section, title }) => ({ id, section, title }));
}
