/** Projects and the roles of users in them. */
export { ProjectsModule } from './projects.module.js';
