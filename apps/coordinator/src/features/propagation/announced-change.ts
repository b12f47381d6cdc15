import type { Authority } from '../authorities/index.js';
import type { Announcement } from './announce-change.service.js';
import type { AnnouncedChange } from './domain/ack.js';

/** The parts of an announcement that follow from what was changed on which authority, as of which revision. */
export function announcedChange(
  { workerId, authority, legacyNodes, revision }: Authority,
  what: Pick<AnnouncedChange, 'entity' | 'action' | 'id'>,
): Pick<Announcement, 'worker' | 'change'> {
  return {
    worker: { id: workerId, authority, legacyNodes },
    change: { authority, ...what, revision },
  };
}
