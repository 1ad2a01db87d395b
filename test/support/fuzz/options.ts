import { isDeep } from '../depth.ts';
import { newSeed } from '../seed.ts';

/** `npm run fuzz -- --runs 2000 --seed 7` sets them (test/fuzz.ts); a plain `npm test` makes very few requests, from the fixed seed. */
export const fuzzRuns = Number(process.env.FUZZ_RUNS ?? (isDeep ? 25 : 2));
export const fuzzSeed = Number(process.env.FUZZ_SEED ?? newSeed());
export const fuzzOnly = new RegExp(process.env.FUZZ_ONLY ?? '');
