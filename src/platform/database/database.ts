import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';

export type Em = EntityManager;
/** Where a statement may run: the database, on any connection, or an EntityManager, in its transaction when it has one. */
export type Source = Em | Database;

export type Database = {
  orm: MikroORM;
  pool: Pool;
  /** An EntityManager of one's own: one a request, one a try of a job. */
  em(): Em;
  /** Runs `work` in one transaction; entities are flushed by `work`. `first` are statements sent along with its begin, results unread. */
  transaction<Result>(work: (em: Em) => Promise<Result>, first?: string[]): Promise<Result>;
  /** Connections that `work` takes count to the share of `key`, where the process has shares. */
  onBehalfOf<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  /** Connections that `work` takes count to nobody's, whoever began it. */
  onNobodysBehalf<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Statements for a transaction's begin: those after them may take longer than a request's usually do. */
  forLongWork: string[];
  ping(): Promise<void>;
  /** Of the pool, at this moment; `waiting` asked for one and have none yet. */
  connections(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
};
