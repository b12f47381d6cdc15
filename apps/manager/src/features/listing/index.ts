/** What all resources share at the edge: pages with opaque cursors, and the shapes of names and ids. */
export {
  authorityInputSchema,
  filterTextSchema,
  idParamsSchema,
  idSchema,
  instantSchema,
  jsonObjectSchema,
  nameSchema,
  publicNameSchema,
} from './input-shapes.js';
export { namePageQueryShape, type Page, pageById, pageQueryShape, toPage } from './page-query.js';
