import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { renderConfigTable } from '@penstock/config';
import { routerConfigSchema } from './router.config.js';

const PAGE = new URL('../../../../docs/services/router/configuration.md', import.meta.url);

it('documents the configuration as it is', () => {
  expect(readFileSync(PAGE, 'utf8')).toContain(renderConfigTable('router', routerConfigSchema));
});
