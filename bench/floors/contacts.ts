import express from 'express';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';

const owners = `select distinct i.contact_id from unnest($2::text[], $3::text[], $4::text[]) as x(type, source, value)
  join contact_identities i on i.organization_id = $1 and i.type = x.type and i.source = x.source and i.value = x.value`;
const insert = `with i as (
    insert into contact_identities (id, organization_id, contact_id, type, source, value)
    select uuidv7(), $2, $1, x.type, x.source, x.value from unnest($9::text[], $10::text[], $11::text[]) as x(type, source, value))
  insert into contacts (id, organization_id, name, phone_number, email, external_source, external_id, custom_fields)
  values ($1, $2, $3, $4, $5, $6, $7, $8) returning id, phone_number, name, email, external_source, external_id, custom_fields, created_at, updated_at`;
const announce = `with e as (
    insert into events (id, organization_id, type, subject_type, subject_id, data)
    values ($1, $2, 'contact.created', 'contact', $3, $5), ($4, $2, 'contact.updated', 'contact', $3, $5) returning id, type)
  insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state)
  select uuidv7(), $2, e.id, w.id, 'pending' from e join webhook_endpoints w on w.organization_id = $2 and e.type = any(w.event_types)`;

/** A new contact with the identities it is known by and its two events, in one transaction. */
export function contactRoutes(app: express.Express, pool: pg.Pool, organizations: Map<string | undefined, string>) {
  app.post('/v1/contacts', express.json(), async (req, res) => {
    const organization = organizations.get(req.get('x-api-key'));
    if (!organization) return void res.status(401).end();
    const {
      phone_number: phone,
      name,
      email,
      external_source: source,
      external_id: externalId,
      custom_fields: fields,
    } = req.body;
    if (typeof phone !== 'string' || typeof email !== 'string') return void res.status(400).end();
    const identities = [
      ['phone', 'messaging_app', 'email', 'external_id'],
      ['', '', '', source],
      [phone, phone.slice(1), email.toLowerCase(), externalId],
    ];
    const client = await pool.connect();
    try {
      const found = await client.query({ name: 'owners', text: owners, values: [organization, ...identities] });
      if (found.rows.length > 0) return void res.status(409).end();
      const id = uuidv7();
      await client.query('begin');
      const values = [id, organization, name, phone, email, source, externalId, fields, ...identities];
      const { rows } = await client.query({ name: 'contact', text: insert, values });
      const data = { contact_id: id, name, organization_id: organization, changed: Object.keys(req.body) };
      await client.query({ name: 'announce', text: announce, values: [uuidv7(), organization, id, uuidv7(), data] });
      await client.query('commit');
      res.status(201).json({ data: { ...rows[0], tags: [] } });
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  });
}
