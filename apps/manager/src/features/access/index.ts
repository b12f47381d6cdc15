/** Who is calling and what they may do: API tokens, roles in projects, and the checks every use case starts with. */
export { AccessModule } from './access.module.js';
export { newApiToken } from './api-token.js';
export { bootstrapAdmin, DEFAULT_DOMAIN } from './bootstrap-admin.service.js';
export { canSee, hasRole, type Principal, projectFilter } from './domain/principal.js';
export { type Role, ROLES } from './domain/roles.js';
export { type AuthenticatedRequest, Context, type RequestContext } from './request-context.js';
export { nameVisible } from './name-visible.js';
export { requireAdmin, requireRole, requireVisible } from './require-role.js';
export { userSees } from './user-access.js';
