import fc from 'fast-check';
import { fixedSeed } from './seed.ts';

if (fixedSeed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: fixedSeed });

/** For the tests of properties. A failure shows its seed, and the shortest input that fails. */
export { fc };
