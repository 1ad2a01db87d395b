import type { JobContract } from './job.ts';

const known = new Map<string, JobContract>();

/** Makes contracts findable by name, for the worker, the retry by hand and the check. Called once, by src/jobs.ts. */
export function registerContracts(contracts: { name: string }[]) {
  for (const contract of contracts) known.set(contract.name, contract as JobContract);
}

export const contractOf = (name: string): JobContract | undefined => known.get(name);
export const allContracts = (): JobContract[] => [...known.values()];
