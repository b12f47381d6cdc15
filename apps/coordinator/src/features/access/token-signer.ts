import { signHs256, WireError } from '@penstock/protocol';

/** Signs what workers verify: deployment access tokens and the hand-over of interactive apps. */
export class TokenSigner {
  constructor(private readonly secret: string | undefined) {}

  /** @throws WireError 500 when the operator configured no secret */
  sign(claims: object): string {
    if (this.secret === undefined) throw WireError.serverMisconfigured('jwt_secret');
    return signHs256(claims, this.secret);
  }

  /** For a call that would change something before it signs. @throws WireError 500 as `sign` does */
  requireSecret(): void {
    this.sign({});
  }
}
