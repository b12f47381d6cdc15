/** Who changed what: one row per mutation, written in its transaction, read through the caller's projects. */
export { type AuditActor, type AuditEntry, SYSTEM_ACTOR } from './audit-entry.js';
export { AuditModule } from './audit.module.js';
export { writeAudit } from './write-audit.js';
