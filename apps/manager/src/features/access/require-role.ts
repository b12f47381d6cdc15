import { AppError } from '@penstock/protocol';

import { notFound } from '../../problems.js';
import { canSee, hasRole, type Principal } from './domain/principal.js';
import type { Role } from './domain/roles.js';

/**
 * The row, when the caller may see it.
 * @throws AppError `resource.not_found` when it is missing or hidden
 */
export function requireVisible<T extends { project_id: string }>(
  principal: Principal,
  row: T | null,
  kind: string,
): T {
  if (row === null || !canSee(principal, row.project_id)) throw notFound(kind);
  return row;
}

/**
 * @throws AppError `auth.forbidden` when the caller sees the project but may not do this in it
 */
export function requireRole(principal: Principal, projectId: string, needed: Role): void {
  if (!hasRole(principal, projectId, needed)) {
    throw forbidden(`This needs the role ${needed} in the project.`);
  }
}

/** @throws AppError `auth.forbidden` for everyone but global admins */
export function requireAdmin(principal: Principal): void {
  if (!principal.isAdmin) throw forbidden('Only a global admin may do this.');
}

function forbidden(message: string): AppError {
  return new AppError('auth.forbidden', message);
}
