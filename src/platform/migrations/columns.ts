/** Columns that stand in many tables. */
export const created = 'created_at timestamptz not null default clock_timestamp()';
export const times = `${created}, updated_at timestamptz not null default clock_timestamp()`;
export const organization = 'organization_id uuid not null references organizations (id)';
/** Every key of a tenant's table begins with the organization: src/platform/database/placement.ts. */
export const tenant = `${organization}, id uuid not null, primary key (organization_id, id)`;
export const role = `role text not null check (role in ('owner', 'admin', 'agent', 'viewer'))`;

/** Deleted with the person. */
export const person =
  'contact_id uuid not null, foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete cascade';

/**
 * One organization may hold a whole table, and prepared statements are planned once for all organizations. Without this the planner
 * takes an organization for a handful of rows: any index that begins with it looks as good as the right one, and each look may read all
 * the organization's rows. The first statement is for the plans until the first ANALYZE, the second for those after it.
 */
export const manyRowsEach = (...tables: string[]) => tables.flatMap((table) => distinctValues(table, 'organization_id', 1));

/** Tells the planner how many values a column has, whatever it counts. */
export const distinctValues = (table: string, column: string, count: number) => [
  `select pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', '${table}', 'attname', '${column}',
     'inherited', false, 'null_frac', 0::real, 'avg_width', 16, 'n_distinct', ${count}::real)`,
  `alter table ${table} alter column ${column} set (n_distinct = ${count})`,
];
