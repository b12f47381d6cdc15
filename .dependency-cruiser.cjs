/** Who may import whom. Imports point inward: adapters know domains, never the other way round. */
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'apps-never-meet',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'nothing-imports-an-app',
      severity: 'error',
      from: { pathNot: '^apps/' },
      to: { path: '^apps/' },
    },
    {
      name: 'features-meet-at-their-index',
      severity: 'error',
      from: { path: '^apps/([^/]+)/src/features/([^/]+)/' },
      to: {
        path: '^apps/$1/src/features/',
        pathNot: ['^apps/$1/src/features/$2/', '/index\\.ts$', '/testing/'],
      },
    },
    {
      name: 'domain-stays-pure',
      severity: 'error',
      from: { path: '/domain/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '/adapters/|node_modules/.*(@nestjs|@prisma|ioredis|undici|/pg/|fastify)|^node:(fs|net|http|timers)',
      },
    },
    {
      name: 'protocol-depends-on-zod-only',
      severity: 'error',
      from: { path: '^packages/protocol/src/', pathNot: '\\.spec\\.ts$' },
      to: {
        pathNot: [
          '^packages/protocol/',
          'node_modules/zod/',
          'node_modules/.*/zod/',
          '^(node:)?(buffer|crypto)$',
        ],
      },
    },
    {
      name: 'routing-stays-pure',
      severity: 'error',
      from: { path: '^packages/routing/src/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^packages/routing/' },
    },
    {
      name: 'tests-stay-out-of-products',
      severity: 'error',
      from: {
        path: '^(apps|packages|tools)/[^/]+/src/',
        pathNot: ['\\.spec\\.ts$', '^packages/testkit/', '/testing/'],
      },
      to: { path: '^packages/testkit/|/testing/|\\.spec\\.ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules|/generated/' },
    exclude: { path: '/dist/|/generated/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
    },
  },
};
