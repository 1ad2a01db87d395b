module.exports = {
  testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  testSequencer: '<rootDir>/test/support/jest/sequencer.cjs',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  watchPathIgnorePatterns: ['/.kanal/'],
  modulePathIgnorePatterns: ['<rootDir>/.kanal'],
  // Deep tests have pages and processes that a busy machine takes minutes for.
  testTimeout: process.env.KANAL_TEST_DEEP === 'true' ? 900_000 : 240_000,
  // Between two files a worker that has grown beyond this is replaced by a new one.
  workerIdleMemoryLimit: '1GB',
};
