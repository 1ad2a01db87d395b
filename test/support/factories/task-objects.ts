import { uuidv7 } from '../../../src/platform/ids.ts';

type Sql = (text: string, params: unknown[]) => Promise<unknown>;

/** A deal without a pipeline, for a task to be about. */
export async function dealRow(sql: Sql, organizationId: string): Promise<string> {
  const id = uuidv7();
  await sql(
    `insert into deals (id, organization_id, title, status, currency_code, home_currency_at_write)
     values ($1, $2, 'Deal', 'open', 'USD', 'USD')`,
    [id, organizationId],
  );
  return id;
}

/** A record of a type of its own. */
export async function recordRow(sql: Sql, organizationId: string, kind: string): Promise<string> {
  const [typeId, id] = [uuidv7(), uuidv7()];
  await sql(
    `insert into object_types (id, organization_id, kind, label, plural_label, display_field)
     values ($1, $2, $3, 'One', 'Many', 'name')`,
    [typeId, organizationId, kind],
  );
  await sql('insert into records (id, organization_id, type_id) values ($1, $2, $3)', [id, organizationId, typeId]);
  return id;
}
