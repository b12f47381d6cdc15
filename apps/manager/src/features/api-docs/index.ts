/** The OpenAPI document, made from the zod schemas that check the requests, and the page that shows it. */
export { serveApiDocs } from './serve-api-docs.js';
export { ApiResource, ApiRoute } from './zod-docs.js';
