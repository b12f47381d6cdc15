/** Which endpoint calls which: bindings to an upstream, refused where they would close a circle or lose their end. */
export { bindUpstream } from './adapters/bind-upstream.js';
export { lockForRemoval } from './adapters/lock-for-removal.js';
export { LineageModule } from './lineage.module.js';
