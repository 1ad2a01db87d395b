import { sharedPool } from '../ledger/pools.ts';

/** Shared by all organizations and areas: imports are long and must leave workers to other jobs. */
export const importPool = sharedPool('contact-imports');
export const importPoolWidth = 2;
