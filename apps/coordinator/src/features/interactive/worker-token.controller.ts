import { Controller, Get, Inject, Param } from '@nestjs/common';
import { uuidSchema } from '@penstock/protocol';

import { parseWire } from '../../wire/parse-wire.js';
import { TokenStore } from './adapters/token.store.js';

interface TokenAnswer {
  readonly id: string;
  readonly login_session_token: string | null;
  readonly kernel_host: string;
  readonly kernel_port: number;
  readonly session_id: string;
  readonly user_uuid: string;
  readonly group_id: string;
  readonly access_key: string;
  readonly domain_name: string;
}

/** What a token stands for, told to workers. Stock workers have a call for it; stock coordinators lack the route. */
@Controller('api/worker/token')
export class WorkerTokenController {
  constructor(@Inject(TokenStore) private readonly tokens: TokenStore) {}

  @Get(':token')
  async get(@Param('token') id: string): Promise<TokenAnswer> {
    const token = await this.tokens.get(parseWire(uuidSchema, id, ['token_id']));
    return {
      id: token.id,
      login_session_token: token.loginSessionToken,
      kernel_host: token.kernelHost,
      kernel_port: token.kernelPort,
      session_id: token.sessionId,
      user_uuid: token.userUuid,
      group_id: token.groupId,
      access_key: token.accessKey,
      domain_name: token.domainName,
    };
  }
}
