import type { InferKyselyDB } from '@mikro-orm/sql';
import type { Kysely, SelectType } from 'kysely';
import type { Em } from './database.ts';

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void ? All : never;

/** The tables of some entities as Kysely sees them: names and columns of the database. */
// biome-ignore lint/complexity/noBannedTypes: no options
export type TablesOf<Entity extends { name: string }> = Intersection<InferKyselyDB<Entity, {}>>;

/** A row of some columns of an entity's table, as a query reads it. */
export type RowOf<
  Entity extends { name: string; tableName: string },
  Column extends keyof TablesOf<Entity>[Table],
  Table extends keyof TablesOf<Entity> = Entity['tableName'] & keyof TablesOf<Entity>,
> = {
  [Name in Column]: SelectType<TablesOf<Entity>[Table][Name]>;
};

/** Typed reads, in the EntityManager's transaction when it has one. */
export const tables = <Tables>(em: Em): Kysely<Tables> => em.getKysely() as unknown as Kysely<Tables>;
