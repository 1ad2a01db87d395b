import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import type { InWriteTurn } from './connection-shares.ts';
import type { SessionSettings } from './session-settings.ts';

export type Em = EntityManager;
/** An EntityManager runs a statement in its transaction, if it has one. */
export type Source = Em | Database;

export type Database = {
  orm: MikroORM;
  pool: Pool;
  sessionSettings: SessionSettings;
  em(): Em;
  /** `work` flushes its entities. `first` are statements sent together with `begin`; their results are not read. */
  transaction<Result>(work: (em: Em) => Promise<Result>, first?: string[]): Promise<Result>;
  /** A request that writes waits for its turn among those of the organization that the call is made for. Throws 503. */
  inWriteTurn: InWriteTurn;
  onBehalfOf<Result>(key: string, work: () => Promise<Result>, hasLeft?: () => boolean): Promise<Result>;
  onNobodysBehalf<Result>(work: () => Promise<Result>): Promise<Result>;
  /** For the begin of a transaction whose statements may take longer than a request's. */
  forLongWork: string[];
  ping(): Promise<void>;
  connections(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
};
