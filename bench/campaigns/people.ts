import type pg from 'pg';

type Added = { organizationId: string; count: number; group: string };

/** By group, so that no two of an organization have one number. */
const groupNumbers: Record<string, number> = {};
const numberOf = (group: string) => {
  groupNumbers[group] ??= Object.keys(groupNumbers).length;
  return groupNumbers[group];
};
export const maxOfGroup = 1_000_000;

/** Contacts with a phone, who consented to marketing; `custom_fields.group` tells them from others. */
export async function addPeople(sql: pg.Pool, { organizationId, count, group }: Added): Promise<void> {
  await sql.query(
    `with people as materialized (
       select uuidv7() as id, n, '1650' || lpad(($3::int * ${maxOfGroup} + n)::text, 8, '0') as digits
         from generate_series(1, $2::int) n),
     made as (
       insert into contacts (organization_id, id, name, phone_number, custom_fields)
       select $1, id, 'Person ' || n, '+' || digits, jsonb_build_object('group', $4::text)
         from people),
     known as (
       insert into contact_identities (organization_id, id, contact_id, type, value)
       select $1, uuidv7(), p.id, t.type, t.prefix || p.digits
         from people p,
              (values ('phone', '+'), ('messaging_app', '')) as t(type, prefix))
     insert into contact_consents (organization_id, id, contact_id, channel, status)
     select $1, uuidv7(), id, 'messaging_app', 'granted'
       from people`,
    [organizationId, count, numberOf(group), group],
  );
  await sql.query('vacuum analyze contacts, contact_identities, contact_consents');
}

export const inGroup = (group: string) => ({ filters: [{ field: 'custom_fields.group', operator: 'eq', value: group }] });
