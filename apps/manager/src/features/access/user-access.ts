import type { Queries } from '../storage/index.js';

/** Whether a user exists and sees the project: what is done in somebody's name needs it. */
export async function userSees(db: Queries, userId: string, projectId: string): Promise<boolean> {
  const user = await db.user.findUnique({
    where: { id: userId },
    include: { memberships: { where: { project_id: projectId } } },
  });
  return user !== null && (user.is_admin || user.memberships.length > 0);
}
