/** Access tokens of deployments: minted by the coordinator, shown once, remembered by hash, owner and expiry. */
export { DeploymentTokensModule } from './deployment-tokens.module.js';
export { MintTokenService } from './mint-token.service.js';
export type { TokenLifetimes } from './token-lifetimes.js';
