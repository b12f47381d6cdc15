/** Who may call: everyone who knows the secret, and only they, except where a route says it is public. */
export { AccessModule } from './access.module.js';
export { isBareSecret } from './domain/verify-secret.js';
export { Public } from './public.decorator.js';
export { TokenSigner } from './token-signer.js';
