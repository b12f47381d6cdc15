/** Users and their API tokens, of which only hashes exist here. */
export { UsersModule } from './users.module.js';
