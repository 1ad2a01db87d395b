import type { JobContract } from './job.ts';

const known = new Map<string, JobContract>();

export function registerContracts(contracts: { name: string }[]) {
  for (const contract of contracts) known.set(contract.name, contract as JobContract);
}

export const contractOf = (name: string): JobContract | undefined => known.get(name);
export const allContracts = (): JobContract[] => [...known.values()];
