import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';

export type Em = EntityManager;
/** Where a statement may run: the database, on any connection, or an EntityManager, in its transaction when it has one. */
export type Source = Em | Database;

export type Database = {
  orm: MikroORM;
  pool: Pool;
  /** A new EntityManager: one for each request and each attempt of a job. */
  em(): Em;
  /** Runs `work` in one transaction; `work` flushes its entities. `first` are statements sent together with `begin`, results unread. */
  transaction<Result>(work: (em: Em) => Promise<Result>, first?: string[]): Promise<Result>;
  /** Connections that `work` takes count to the share of `key`, where the process has shares. */
  onBehalfOf<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  /** Connections that `work` takes count to no share, whichever request began it. */
  onNobodysBehalf<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Statements for a transaction's begin: those after them may take longer than in other requests. */
  forLongWork: string[];
  ping(): Promise<void>;
  /** Of the pool, now; `waiting` is the number of callers without a connection. */
  connections(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
};
