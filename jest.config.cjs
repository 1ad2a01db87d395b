module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.cjs' },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  watchPathIgnorePatterns: ['/.kanal/'],
  modulePathIgnorePatterns: ['<rootDir>/.kanal'],
  testTimeout: 240_000,
  // A worker keeps about 20 MB of each file it has run (ES modules are never let go): after 170 files it ran out of its 4 GB, collecting
  // garbage for seconds at a time long before.
  workerIdleMemoryLimit: '1GB',
};
