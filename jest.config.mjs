/** Unit tests lie beside the code, integration tests in test/integration, end-to-end tests in e2e/specs, real peers in e2e/interop. */
const shared = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2024',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  moduleNameMapper: {
    '^@penstock/(protocol|routing|config|observability|service-kit|database|event-bus|backing-services|testkit)$':
      '<rootDir>/packages/$1/src/index.ts',
    '^@penstock/(replica-simulator|conformance)$': '<rootDir>/tools/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  modulePathIgnorePatterns: ['/dist/', '<rootDir>/\\.penstock/', '<rootDir>/\\.tools/'],
};

const backingServices = {
  globalSetup: '<rootDir>/packages/testkit/src/jest/global-setup.ts',
  globalTeardown: '<rootDir>/packages/testkit/src/jest/global-teardown.ts',
};

export default {
  testTimeout: 30_000,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apps,packages,tools,benchmarks}/**/*.spec.ts'],
    },
    {
      ...shared,
      ...backingServices,
      displayName: 'int',
      testMatch: ['<rootDir>/{apps,packages}/*/test/**/*.int-spec.ts'],
    },
    {
      ...shared,
      displayName: 'e2e',
      testMatch: ['<rootDir>/e2e/specs/**/*.e2e-spec.ts'],
      globalSetup: '<rootDir>/e2e/support/jest/global-setup.ts',
      globalTeardown: '<rootDir>/e2e/support/jest/global-teardown.ts',
    },
    {
      ...shared,
      displayName: 'interop',
      testMatch: ['<rootDir>/e2e/interop/specs/**/*.interop-spec.ts'],
      globalSetup: '<rootDir>/e2e/interop/jest/global-setup.ts',
      globalTeardown: '<rootDir>/e2e/interop/jest/global-teardown.ts',
      setupFilesAfterEnv: ['<rootDir>/e2e/interop/jest/close-connections.ts'],
    },
  ],
};
