import type { EntityData, InferEntity, RequiredEntityData } from '@mikro-orm/core';
import type { ColumnType, Kysely, SelectQueryBuilder, UpdateQueryBuilder, UpdateResult } from 'kysely';
import { uuidv7 } from '../ids.ts';
import type { Em, Source } from './database.ts';
import { query } from './query.ts';
import { type JoinedEntity, restrictTo } from './restrict.ts';
import type { TablesOf } from './tables.ts';

/** Runs any text, so it is for statement.ts alone, which knows that the organization is in it. */
export const run = Symbol('run');

/** An entity without `organization_id` is a type error. */
export type OwnEntity = {
  name: string;
  tableName: string;
  meta: { properties: object };
  readonly '~entity': { organization_id: string };
};

type Columns<Row> = Exclude<keyof Row & string, 'organization_id'>;
type Condition<Value> = Value | null | { $in?: NonNullable<Value>[]; $ne?: Value | null; $lt?: Value; $gt?: Value };

export type Where<Row> = { [Column in Columns<Row>]?: Condition<Row[Column]> } & { organization_id?: never };
export type NewRow<Row> = Omit<RequiredEntityData<Row>, 'organization_id'> & { organization_id?: never };
export type Change<Row> = Omit<EntityData<Row>, 'organization_id'> & { organization_id?: never };

/** A row that was read stays in its organization. */
export type Owned<Entity extends OwnEntity> = Omit<InferEntity<Entity>, 'organization_id'> & { readonly organization_id: string };

type Table<Entity extends OwnEntity> = keyof TablesOf<Entity> & string;

/** Adds the organization's condition to each table that has one, joined tables and inner queries included. */
export type Select = <Entity extends OwnEntity, Joined extends JoinedEntity = Entity>(
  entity: Entity,
  ...joined: Joined[]
) => SelectQueryBuilder<TablesOf<Entity | Joined>, Table<Entity> & keyof TablesOf<Entity | Joined>, unknown>;

export type Own = {
  readonly organizationId: string;
  /** For a read whose shape changes each time; a fixed one is a `statement` (statement.ts). */
  select: Select;
  find<Entity extends OwnEntity>(entity: Entity, where: Where<InferEntity<Entity>>): Promise<Owned<Entity>[]>;
  findOne<Entity extends OwnEntity>(entity: Entity, where: Where<InferEntity<Entity>>): Promise<Owned<Entity> | undefined>;
  /** $1 is the organization: PostgreSQL refuses a text that does not use it. `params` start at $2. */
  sql<Row = Record<string, unknown>>(text: string, params?: unknown[]): Promise<Row[]>;
  readonly [run]: <Row>(text: string, values: readonly unknown[]) => Promise<Row[]>;
};

/** What runs a statement. */
export type Runs = Pick<Own, 'organizationId' | typeof run>;

/** `create`, assignment and `remove` are written by `flush`, at the latest before the ledger. */
export type OwnRecords = Own & {
  create<Entity extends OwnEntity>(entity: Entity, row: NewRow<InferEntity<Entity>>): Owned<Entity>;
  remove(row: { organization_id: string }): void;
  /** One insert at once, for a row that is not read again. */
  insert<Entity extends OwnEntity>(entity: Entity, row: NewRow<InferEntity<Entity>>): Promise<void>;
  insertMany<Entity extends OwnEntity>(entity: Entity, rows: NewRow<InferEntity<Entity>>[]): Promise<void>;
  update<Entity extends OwnEntity>(
    entity: Entity,
    where: Where<InferEntity<Entity>>,
    change: Change<InferEntity<Entity>>,
  ): Promise<number>;
  delete<Entity extends OwnEntity>(entity: Entity, where: Where<InferEntity<Entity>>): Promise<number>;
  flush(): Promise<void>;
};

type Fixed<Tables> = {
  [Name in keyof Tables]: Omit<Tables[Name], 'organization_id'> & { organization_id: ColumnType<string, string, never> };
};

/** A change of the organization's rows that gives them back: for a reply that shows what the database wrote. */
export type Update = <Entity extends OwnEntity>(
  entity: Entity,
) => UpdateQueryBuilder<Fixed<TablesOf<Entity>>, Table<Entity>, Table<Entity>, UpdateResult>;

export const updateWithin = (kysely: Kysely<never>, organizationId: string): Update =>
  ((entity: OwnEntity) =>
    kysely.updateTable(entity.tableName as never).withPlugin(restrictTo(organizationId, [entity]))) as unknown as Update;

export const selectWithin = (kysely: Kysely<never>, organizationId: string): Select =>
  ((entity: OwnEntity, ...joined: JoinedEntity[]) =>
    kysely
      .selectFrom(entity.tableName as never)
      .withPlugin(restrictTo(organizationId, [entity, ...joined]))) as unknown as Select;

export class OwnRows implements OwnRecords {
  readonly organizationId: string;
  private readonly source: Source;
  private made: Em | undefined;

  constructor(source: Source, organizationId: string) {
    this.source = source;
    this.organizationId = organizationId;
  }

  private em(): Em {
    this.made ??= 'pool' in this.source ? this.source.em() : this.source;
    return this.made;
  }

  get select(): Select {
    return selectWithin(this.em().getKysely() as unknown as Kysely<never>, this.organizationId);
  }

  private within(values: object = {}) {
    return { ...values, organization_id: this.organizationId } as never;
  }

  /** `em.insert` makes no id, unlike the unit of work. */
  private newRow(entity: OwnEntity, row: object) {
    return this.within('id' in entity.meta.properties ? { id: uuidv7(), ...row } : row);
  }

  find(entity: OwnEntity, where: object): Promise<never> {
    return this.em().find(entity as never, this.within(where)) as Promise<never>;
  }

  async findOne(entity: OwnEntity, where: object): Promise<never> {
    return ((await this.em().findOne(entity as never, this.within(where))) ?? undefined) as never;
  }

  sql<Row>(text: string, params: unknown[] = []): Promise<Row[]> {
    return query(this.source, text, [this.organizationId, ...params]);
  }

  [run]<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return query(this.source, text, values as unknown[]);
  }

  create(entity: OwnEntity, row: object): never {
    const em = this.em();
    const made = em.create(entity as never, this.within(row));
    em.persist(made);
    return made as never;
  }

  remove(row: object) {
    this.em().remove(row);
  }

  async insert(entity: OwnEntity, row: object) {
    await this.em().insert(entity as never, this.newRow(entity, row));
  }

  async insertMany(entity: OwnEntity, rows: object[]) {
    await this.em().insertMany(
      entity as never,
      rows.map((row) => this.newRow(entity, row)),
    );
  }

  update(entity: OwnEntity, where: object, change: object): Promise<number> {
    return this.em().nativeUpdate(entity as never, this.within(where), change);
  }

  delete(entity: OwnEntity, where: object): Promise<number> {
    return this.em().nativeDelete(entity as never, this.within(where));
  }

  flush(): Promise<void> {
    return this.em().flush();
  }
}

export const ownRows = (source: Source, organizationId: string): Own => new OwnRows(source, organizationId);
