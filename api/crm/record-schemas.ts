import Joi from 'joi';
import { exampleIdOf, exampleIds, exampleTime } from '../../src/platform/examples.ts';
import type { RecordRow } from '../../src/records/record-row.ts';
import type { Field, ObjectType } from '../../src/records/types/definition.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const tag = 'CRM';

export const objectKind = Joi.string().description('`contact`, `conversation`, `deal`, `task`, `company`, or a kind of your own');

export const aboutRecord = { tag, subject: 'Record', params: { objectKind } };

export const exampleGiven = { fields: { name: 'Analytical Engines', domain: 'analytical.example', industry: 'software' } };

const related = Joi.object({
  id: id.required(),
  kind: Joi.string().required(),
  display_name: Joi.string().allow('').required().description('Empty without the scope to read that kind'),
});

const summary = Joi.object({
  count: Joi.number().integer().min(0).max(100).required().description('At most 100'),
  has_more: Joi.boolean().required().description('There are more than `count`'),
  items: Joi.array().items(related).max(3).required().description('The three linked last'),
});

const enrichment = Joi.object({
  source: Joi.string().required(),
  fields: Joi.array().items(Joi.string()).required().description('The fields that it gave last'),
  at: timestamp.required(),
});

/** `fields` of a kind with its own table are those of its own endpoint. */
export const recordView = view(
  'crm_record',
  Joi.object({
    id: id.required(),
    kind: Joi.string().required(),
    display_name: Joi.string().allow('').required().description('What people call it; empty when it has no name'),
    fields: Joi.object()
      .unknown()
      .required()
      .description('Values of the fields that its type declares; a field without a value is left out'),
    custom_fields: Joi.object().unknown().required().description('What its type does not declare; `{}` when there is nothing'),
    metadata: Joi.object().unknown().required().description('Your own object; `{}` when there is none'),
    relationships_summary: Joi.object()
      .pattern(Joi.string(), summary)
      .required()
      .description('Every relation of its kind by name, both directions'),
    enrichment_summary: Joi.object({ sources: Joi.array().items(enrichment).required() }).description(
      'Left out unless a write named a source',
    ),
    revision: Joi.number().integer().description('Raised by each change; left out for a kind with its own table'),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('record'),
    kind: 'company',
    display_name: 'Analytical Engines',
    fields: { name: 'Analytical Engines', industry: 'software', employees: 12 },
    custom_fields: {},
    metadata: {},
    relationships_summary: {
      contacts: {
        count: 1,
        has_more: false,
        items: [{ id: exampleIds.contact, kind: 'contact', display_name: 'Sheena Nelson' }],
      },
    },
    enrichment_summary: { sources: [{ source: 'registry', fields: ['employees'], at: exampleTime }] },
    revision: 3,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

/** A loop: it runs for each record of a page. */
function valuesOf(fields: Pick<Field, 'name'>[], given: Record<string, unknown>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { name } of fields) if (Object.hasOwn(given, name)) values[name] = given[name];
  return values;
}

/** `relationships_summary` comes for a whole page at once. A field whose values are still being dropped is not shown. */
export const toRecordView = ({ kind, fields }: Pick<ObjectType, 'kind' | 'fields'>, row: RecordRow) => ({
  id: row.id,
  kind,
  display_name: row.display_name,
  fields: valuesOf(fields, row.fields),
  custom_fields: row.custom_fields,
  metadata: row.metadata,
  ...(row.enrichments && {
    enrichment_summary: {
      sources: row.enrichments.map(({ source, fields: given, at }) => ({ source, fields: given, at: iso(at) })),
    },
  }),
  revision: row.revision,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});
