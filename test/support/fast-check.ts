import fc from 'fast-check';
import { fixedSeed } from './seed.ts';

if (fixedSeed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: fixedSeed });

/** Runs of a property: few by default, all of them with KANAL_TEST_DEEP=true (`npm run test:deep`). Examples count among them, and run first. */
export const numRuns = (numbers: { default: number; deep: number }): number =>
  process.env.KANAL_TEST_DEEP === 'true' ? numbers.deep : numbers.default;

/** For the tests of properties. A failure shows its seed, and the shortest input that fails. */
export { fc };
