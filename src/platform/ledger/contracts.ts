import type { JobContract } from './job.ts';

const known = new Map<string, JobContract>();

export function registerContracts(contracts: { name: string }[]) {
  for (const contract of contracts) known.set(contract.name, contract as JobContract);
}

/** For a process that goes on with other work. */
export const forgetContracts = (): void => known.clear();

export const contractOf = (name: string): JobContract | undefined => known.get(name);
export const allContracts = (): JobContract[] => [...known.values()];
