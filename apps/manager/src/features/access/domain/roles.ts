/** What a user may do in a project, weakest first: read, change its objects, change the project and its members. */
export const ROLES = ['viewer', 'member', 'admin'] as const;

export type Role = (typeof ROLES)[number];

export function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text);
}

/** True when `role` includes everything `needed` allows. */
export function includesRole(role: Role | undefined, needed: Role): boolean {
  return role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
