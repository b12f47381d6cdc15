import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { tokenRequestSchema, type TokenResponse } from '@penstock/protocol';

import { parseBody } from '../../wire/parse-wire.js';
import { UuidParam } from '../../wire/uuid-param.decorator.js';
import { MintTokenService } from './mint-token.service.js';

@Controller('v2/endpoints')
export class EndpointTokensController {
  constructor(@Inject(MintTokenService) private readonly service: MintTokenService) {}

  /** Nothing is kept of a token, so each call signs another one. */
  @Post(':endpoint_id/token')
  @HttpCode(200)
  async mint(@UuidParam('endpoint_id') id: string, @Body() body: unknown): Promise<TokenResponse> {
    const request = parseBody(tokenRequestSchema, body);
    return { token: await this.service.mint(id, request) };
  }
}
