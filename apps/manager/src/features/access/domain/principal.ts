import { includesRole, type Role } from './roles.js';

/** Who is calling, and what they may do where. */
export interface Principal {
  readonly userId: string;
  readonly name: string;
  readonly domain: string;
  /** Sees and changes everything. */
  readonly isAdmin: boolean;
  readonly roles: ReadonlyMap<string, Role>;
}

export function canSee(principal: Principal, projectId: string): boolean {
  return principal.isAdmin || principal.roles.has(projectId);
}

export function hasRole(principal: Principal, projectId: string, needed: Role): boolean {
  return principal.isAdmin || includesRole(principal.roles.get(projectId), needed);
}

/** The filter every list is read through; empty for those who see everything. */
export function projectFilter(principal: Principal): { project_id?: { in: string[] } } {
  return principal.isAdmin ? {} : { project_id: { in: [...principal.roles.keys()] } };
}
