import type { Hostile } from '../hostile-tenant.ts';
import type { Side } from '../stage.ts';
import type { VictimName } from '../victims/victim.ts';
import type { Tally } from './tally.ts';

/** Ends everything the client has open. Resolves when it has. */
export type Stop = () => Promise<void>;

/** One finding: who suffers, what the hostile client must know, and what it does in its own process until it is stopped. */
export type Abuse<Target = unknown> = {
  number: number;
  finding: string;
  what: string;
  victims: VictimName[];
  hasWorker: boolean;
  /** Runs in the bench, once, when the processes are there. */
  prepare(context: { base: string; kanal: Side; hostile: Hostile }): Promise<Target> | Target;
  /** Runs in the hostile process, in each hostile round. */
  attack(target: Target, tally: Tally): Stop | Promise<Stop>;
};

/** Keeps the two halves of one client in step; the target crosses to its process as JSON. */
export const abuse = <Target>(definition: Abuse<Target>): Abuse => definition as Abuse;
