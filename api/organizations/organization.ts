import Joi from 'joi';
import { currencyCode } from '../../src/money/schemas.ts';
import {
  changeOrganization,
  getOrganization,
  type OrganizationChange,
  type OrganizationRow,
} from '../../src/organizations/organizations.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { id, iso, timestamp, timeZone } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const tag = 'Organization';

const homeCurrency = currencyCode.description('The currency that the organization counts in');
const displayCurrency = currencyCode.allow(null).description('The currency that amounts are shown in; null: the home currency');
const zoned = timeZone.description(
  'A zone of the IANA database, such as `Europe/Berlin`: where a day begins for the organization',
);

export const organizationView = view(
  'organization',
  Joi.object({
    id: id.required(),
    name: Joi.string().required(),
    timezone: zoned.required(),
    home_currency: homeCurrency.required(),
    display_currency: displayCurrency.required(),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIds.organization,
    name: 'Harbour Books',
    timezone: 'Europe/Berlin',
    home_currency: 'EUR',
    display_currency: null,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

const toView = (row: OrganizationRow) => ({
  id: row.id,
  name: row.name,
  timezone: row.timezone,
  home_currency: row.home_currency,
  display_currency: row.display_currency,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

export const getOwnOrganization = endpoint({
  method: 'get',
  path: '/v1/organization',
  operationId: 'organization.get',
  tag,
  scope: 'members:read',
  summary: 'Get the organization',
  description: 'The one your key or token belongs to, or that is active in your session.',
  responses: { 200: organizationView },
  errors: [404],
  handler: async ({ own }) => ok(toView(await getOrganization(own))),
});

export const patchOrganization = endpoint({
  method: 'patch',
  path: '/v1/organization',
  operationId: 'organization.update',
  tag,
  scope: 'members:write',
  summary: 'Change the organization',
  description:
    'A new `home_currency` holds for amounts written from then on: what deals were worth at home when they were written stays, until they are revalued.',
  audit: 'organization',
  body: Joi.object<OrganizationChange>({
    name: Joi.string().trim().min(1).max(200),
    timezone: zoned,
    home_currency: homeCurrency,
    display_currency: displayCurrency,
  }).min(1),
  responses: { 200: organizationView },
  errors: [404],
  example: { body: { name: 'Harbour Books', timezone: 'Europe/Berlin', home_currency: 'EUR' } },
  handler: ({ body, write }) =>
    write({}, async ({ own }) => ({
      ...ok(toView(await changeOrganization(own, body))),
      audit: { details: { changed: Object.keys(body) } },
    })),
});
