import { httpPath } from '../http-path.ts';

/** Digits nobody has yet, in either database: each run has its own. */
let number = 0;

export const upsert = httpPath({
  name: 'upsert',
  what: 'POST /v1/contacts, of somebody new',
  status: 201,
  request({ tenant }) {
    number += 1;
    const digits = String(number).padStart(7, '0');
    return {
      method: 'POST',
      path: '/v1/contacts',
      headers: { 'x-api-key': tenant.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({
        phone_number: `+1650${digits}`,
        name: 'Sheena Nelson',
        email: `sheena.${digits}@example.com`,
        external_source: 'shop',
        external_id: `C-${digits}`,
        custom_fields: { tier: 'gold', city: 'Jakarta' },
      }),
    };
  },
  async between({ sql }) {
    await sql.query('vacuum analyze contacts, contact_identities, events');
  },
});
