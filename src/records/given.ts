import Joi from 'joi';
import { metadata as anyMetadata, customFields } from '../contacts/fields.ts';

/** JSON has no number beyond the largest: it would be read back as null. */
const hasOnlyFinite = (value: unknown): boolean => {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(hasOnlyFinite);
};
const finite = (value: unknown, { error }: Joi.CustomHelpers) => (hasOnlyFinite(value) ? value : error('number.infinity'));
const tooGreat = { 'number.infinity': '{{#label}} must not have a number beyond 1.7e308' };

export const recordGiven = {
  fields: Joi.object()
    .unknown()
    .max(200)
    .description(
      'Values of the fields that the type declares, by name; one that says nothing (null, `""`, `[]`) takes the field away',
    ),
  custom_fields: customFields.custom(finite).messages(tooGreat),
  metadata: anyMetadata.custom(finite).messages(tooGreat),
  enrichment: Joi.object({ source: Joi.string().trim().min(1).max(100).required() }).description(
    'Notes in `enrichment_summary` which source gave these fields',
  ),
};

export const revision = Joi.number()
  .integer()
  .min(1)
  .description('The revision you have seen: another one at present is a 409, and nothing changes');
