import { describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';

import { KnownRoutes } from './known-routes.js';

describe('KnownRoutes', () => {
  it('finds the methods of a path, parameters and wildcards included', () => {
    const routes = new KnownRoutes();
    const instance = fastify({ exposeHeadRoutes: false });
    routes.watch(instance);
    instance.get('/a', () => '').put('/a', () => '');
    instance.delete('/a/:id/b.c', () => '');
    instance.get('/files/*', () => '');
    expect(routes.methodsOf('/a')).toEqual(['GET', 'PUT']);
    expect(routes.methodsOf('/a/x%2Fy/b.c')).toEqual(['DELETE']);
    expect(routes.methodsOf('/a/x/bxc')).toEqual([]);
    expect(routes.methodsOf('/files/x/y')).toEqual(['GET']);
    expect(routes.methodsOf('/a/')).toEqual([]);
  });
});
