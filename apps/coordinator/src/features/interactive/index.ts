/** Interactive apps on stock workers: handed over by a manager, opened by a user, collected when nobody comes. */
export { InteractiveModule } from './interactive.module.js';
