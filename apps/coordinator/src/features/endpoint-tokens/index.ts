/** Deployment access tokens: signed statements about a circuit that its data plane checks by itself. */
export { EndpointTokensModule } from './endpoint-tokens.module.js';
