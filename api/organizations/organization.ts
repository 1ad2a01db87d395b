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
import { businessHours, frequencyCap, quietHours, timezoneField } from './settings-schemas.ts';

export const tag = 'Organization';

const homeCurrency = currencyCode.description('The currency that the organization counts in');
const displayCurrency = currencyCode.allow(null).description('The currency that amounts are shown in; null: the home currency');
const zoned = timeZone.description(
  'A zone of the IANA database, such as `Europe/Berlin`: where a day begins for the organization',
);

const exampleSettings = {
  frequency_cap: { max: 4, days: 30 },
  quiet_hours: { from: '21:00', to: '08:00' },
  timezone_field: 'timezone',
  business_hours: [
    { day: 'monday', from: '09:00', to: '17:30' },
    { day: 'tuesday', from: '09:00', to: '17:30' },
  ],
};

export const organizationView = view(
  'organization',
  Joi.object({
    id: id.required(),
    name: Joi.string().required(),
    timezone: zoned.required(),
    home_currency: homeCurrency.required(),
    display_currency: displayCurrency.required(),
    frequency_cap: frequencyCap.required(),
    quiet_hours: quietHours.required(),
    timezone_field: timezoneField.required(),
    business_hours: businessHours.required(),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIds.organization,
    name: 'Harbour Books',
    timezone: 'Europe/Berlin',
    home_currency: 'EUR',
    display_currency: null,
    ...exampleSettings,
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
  frequency_cap: row.frequency_cap,
  quiet_hours: row.quiet_hours,
  timezone_field: row.timezone_field,
  business_hours: row.business_hours,
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
    'A new `home_currency` holds for amounts written from then on: what deals were worth at home when they were written stays, until they are revalued. A null removes what may be null; `business_hours` are replaced whole.',
  audit: 'organization',
  body: Joi.object<OrganizationChange>({
    name: Joi.string().trim().min(1).max(200),
    timezone: zoned,
    home_currency: homeCurrency,
    display_currency: displayCurrency,
    frequency_cap: frequencyCap,
    quiet_hours: quietHours,
    timezone_field: timezoneField,
    business_hours: businessHours,
  }).min(1),
  responses: { 200: organizationView },
  errors: [404],
  example: { body: { name: 'Harbour Books', timezone: 'Europe/Berlin', home_currency: 'EUR', ...exampleSettings } },
  handler: ({ body, write }) =>
    write({}, async ({ own }) => ({
      ...ok(toView(await changeOrganization(own, body))),
      audit: { details: { changed: Object.keys(body) } },
    })),
});
