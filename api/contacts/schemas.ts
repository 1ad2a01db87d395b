import Joi from 'joi';
import { type ContactTx, contactTx } from '../../src/contacts/contact-tx.ts';
import { contactLock } from '../../src/contacts/events.ts';
import type { ContactRow } from '../../src/contacts/queries.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import type { Page, PageRows } from '../../src/platform/listing/paging.ts';
import { type Input, ok, type Reply } from '../http/endpoint.ts';
import { listed, type PageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const tag = 'Contacts';

export const contactView = view(
  'contact',
  Joi.object({
    id: id.required(),
    phone_number: Joi.string().allow('').required().description('International format with +; empty when the person shows none'),
    name: Joi.string().allow('').required(),
    email: Joi.string().allow('').required(),
    external_source: Joi.string().allow('').required(),
    external_id: Joi.string().allow('').required(),
    custom_fields: Joi.object().unknown().required(),
    tags: Joi.array().items(Joi.string()).required(),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIds.contact,
    phone_number: '+16505551234',
    name: 'Sheena Nelson',
    email: 'sheena@example.com',
    external_source: 'shop',
    external_id: 'C-1001',
    custom_fields: { tier: 'gold' },
    tags: ['vip'],
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

export const toContactView = (row: ContactRow) => ({
  id: row.id,
  phone_number: row.phone_number,
  name: row.name,
  email: row.email,
  external_source: row.external_source,
  external_id: row.external_id,
  custom_fields: row.custom_fields,
  tags: row.tags,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

export const data = (value: unknown): Reply => ok({ data: value });

export const appUserId = Joi.string().trim().min(1).max(128).description("The messaging app's own id of the person");

export const aboutContact = { tag, subject: 'Contact' };

/** The reply of a plain list, newest first, with `listed` wrapped. */
export const listedData = <Row extends { id: string; created_at: string }>(
  scope: string,
  filters: object,
  query: PageQuery,
  read: (page: Page) => Promise<PageRows<Row>>,
  toView: (row: Row) => object,
): Promise<Reply> => listed(scope, filters, query, read, toView, 'data');

/** One write to a contact, under its lock. Throws 404. */
export const changeContact = (
  write: Input<unknown, unknown>['write'],
  id: string,
  work: (tx: ContactTx) => Promise<Reply>,
): Promise<Reply> => write({ locks: [contactLock(id)] }, async ({ own }) => work(await contactTx(own, id)));
