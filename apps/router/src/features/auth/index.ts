export { authenticate, type ReadHeader } from './authenticate.js';
