import type { InferKyselyDB } from '@mikro-orm/sql';
import type { Kysely, SelectType } from 'kysely';
import type { Em } from './database.ts';

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void ? All : never;

// biome-ignore lint/complexity/noBannedTypes: no options
export type TablesOf<Entity extends { name: string }> = Intersection<InferKyselyDB<Entity, {}>>;

export type RowOf<
  Entity extends { name: string; tableName: string },
  Column extends keyof TablesOf<Entity>[Table],
  Table extends keyof TablesOf<Entity> = Entity['tableName'] & keyof TablesOf<Entity>,
> = {
  [Name in Column]: SelectType<TablesOf<Entity>[Table][Name]>;
};

export const tables = <Tables>(em: Em): Kysely<Tables> => em.getKysely() as unknown as Kysely<Tables>;
