import { WireError } from '@penstock/protocol';

import type { Token } from '../../../generated/prisma/client.js';
import type { Database } from '../../../persistence/index.js';
import type { HandOver } from '../configure-request.js';

/** What managers handed over, by the id that is the user's credential for it. */
export class TokenStore {
  constructor(private readonly database: Database) {}

  /** @returns the id of the new token */
  async add({ login_session_token, kernel_host, kernel_port, session }: HandOver): Promise<string> {
    const { id } = await this.database.query((db) =>
      db.token.create({
        data: {
          loginSessionToken: login_session_token,
          kernelHost: kernel_host,
          kernelPort: kernel_port,
          sessionId: session.id,
          userUuid: session.user_uuid,
          groupId: session.project_id,
          accessKey: session.access_key,
          domainName: session.domain_name,
        },
        select: { id: true },
      }),
    );
    return id;
  }

  /** @throws WireError 404 */
  async get(id: string): Promise<Token> {
    const token = await this.database.query((db) => db.token.findUnique({ where: { id } }));
    if (!token) throw WireError.objectNotFound('token');
    return token;
  }
}
