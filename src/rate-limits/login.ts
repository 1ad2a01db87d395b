import type { Database } from '../database.ts';

export type LoginLimits = {
  attempt(email: string, address: string): Promise<void>;
  succeeded(email: string, address: string): Promise<void>;
  mail(email: string, address: string): Promise<boolean>;
  work(address: string): Promise<void>;
};
export const createLoginLimits = (_database: Database): LoginLimits => ({
  attempt: async () => {},
  succeeded: async () => {},
  mail: async () => true,
  work: async () => {},
});
