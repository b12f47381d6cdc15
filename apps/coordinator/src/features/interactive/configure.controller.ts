import { Body, Controller, Headers, HttpCode, Inject, Post } from '@nestjs/common';
import { HEADERS, WireError } from '@penstock/protocol';

import type { CoordinatorConfig } from '../../config/coordinator.config.js';
import { COORDINATOR_CONFIG } from '../../platform/index.js';
import { isBareSecret, Public } from '../access/index.js';
import { TokenStore } from './adapters/token.store.js';
import { parseHandOver } from './configure-request.js';

/** Where a manager hands a session over, before it sends the user to one of the session's apps. */
@Controller('v2/conf')
export class ConfigureController {
  constructor(
    @Inject(TokenStore) private readonly tokens: TokenStore,
    @Inject(COORDINATOR_CONFIG) private readonly config: CoordinatorConfig,
  ) {}

  /** Takes the bare secret only, or with `allow_unauthorized_configure_request` anything. */
  @Public()
  @Post()
  @HttpCode(200)
  async configure(
    @Body() body: unknown,
    @Headers(HEADERS.backendaiToken) secret: string | undefined,
  ): Promise<{ readonly token: string }> {
    const { allow_unauthorized_configure_request: open, api_secret } = this.config;
    if (!open && !isBareSecret(secret, api_secret)) throw WireError.authFailed();
    return { token: await this.tokens.add(parseHandOver(body)) };
  }
}
