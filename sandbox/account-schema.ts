import Joi from 'joi';
import type { Account, AccountFlow, Template } from './accounts.ts';

const decimalId = Joi.string().pattern(/^\d{1,20}$/, 'decimal id');

const template = Joi.object<Template>({
  id: decimalId.required(),
  name: Joi.string().required(),
  language: Joi.string().default('en_US'),
  status: Joi.string().uppercase().default('APPROVED'),
  category: Joi.string().uppercase().default('UTILITY'),
  parameter_format: Joi.string().valid('POSITIONAL', 'NAMED').default('POSITIONAL'),
  components: Joi.array()
    .items(Joi.object({ type: Joi.string().required() }).unknown())
    .default([]),
}).unknown();

const flow = Joi.object<AccountFlow>({
  id: decimalId.required(),
  name: Joi.string().required(),
  categories: Joi.array().items(Joi.string()).min(1).default(['OTHER']),
  flow_json: Joi.object().unknown().required(),
});

export const accountSchema = Joi.object<Account>({
  waba_id: decimalId.required(),
  phone_number_id: decimalId.required(),
  display_phone_number: Joi.string().required(),
  verified_name: Joi.string().default('Sandbox Business'),
  access_token: Joi.string().required(),
  templates: Joi.array().items(template).default([]),
  flows: Joi.array().items(flow),
  subscribed: Joi.boolean(),
  registered: Joi.boolean(),
});

/** Checks what a caller configured; throws Joi's error, which names the wrong field. */
export function readAccounts(value: unknown): Account[] {
  return Joi.attempt(value, Joi.array().items(accountSchema).min(1).unique('phone_number_id').label('accounts')) as Account[];
}
