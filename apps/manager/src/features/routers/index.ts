/** The view of the router fleet. */
export { RoutersModule } from './routers.module.js';
