import Joi from 'joi';
import { getOrganization, type OrganizationRow, renameOrganization } from '../../src/organizations/organizations.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const tag = 'Organization';

export const organizationView = view(
  'organization',
  Joi.object({
    id: id.required(),
    name: Joi.string().required(),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIds.organization,
    name: 'Harbour Books',
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

const toView = (row: OrganizationRow) => ({
  id: row.id,
  name: row.name,
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
  summary: 'Rename the organization',
  audit: 'organization',
  body: Joi.object<{ name: string }>({ name: Joi.string().trim().min(1).max(200).required() }),
  responses: { 200: organizationView },
  errors: [404],
  example: { body: { name: 'Harbour Books' } },
  handler: ({ body, write }) => write({}, async ({ own }) => ok(toView(await renameOrganization(own, body.name)))),
});
