import Joi from 'joi';
import { upToBytes } from '../../src/messaging/content/limits.ts';
import { variantsBy } from '../../src/platform/schemas/variants.ts';

const label = Joi.string().min(1).max(25);
const address = Joi.string().min(1).max(2_000);
const example = Joi.array().items(Joi.string().min(1).max(2_000)).max(1);

const variant = (name: string, parts: Joi.SchemaMap) => ({ name, schema: Joi.object(parts) });

const app = Joi.object({
  package_name: Joi.string().min(1).max(224).required(),
  signature_hash: Joi.string().min(1).max(32).required(),
});

/** The bytes of a flow's screens that a template may bring along. */
const maxFlowBytes = 65_536;

export const button = variantsBy('type', {
  QUICK_REPLY: variant('quick_reply_button', { text: label.required() }),
  URL: variant('url_button', {
    text: label.required(),
    url: address
      .pattern(/^https?:\/\//, 'an address')
      .required()
      .description('May end in {{1}}'),
    example: example.description('What the parameter may be'),
  }),
  PHONE_NUMBER: variant('phone_number_button', {
    text: label.required(),
    phone_number: Joi.string()
      .max(20)
      .pattern(/^\+?\d{5,19}$/, 'digits')
      .required(),
  }),
  COPY_CODE: variant('copy_code_button', {
    text: label,
    example: Joi.string().min(1).max(20).required().description('A code as it will be sent'),
  }),
  OTP: variant('otp_button', {
    otp_type: Joi.string().valid('COPY_CODE', 'ONE_TAP', 'ZERO_TAP').required(),
    text: label,
    autofill_text: label,
    package_name: Joi.string().min(1).max(224),
    signature_hash: Joi.string().max(32),
    supported_apps: Joi.array().items(app).max(5),
    zero_tap_terms_accepted: Joi.boolean().strict(),
  }),
  FLOW: variant('flow_button', {
    text: label.required(),
    flow_id: Joi.string().min(1).max(128),
    flow_name: Joi.string().min(1).max(200),
    flow_json: upToBytes(Joi.string().min(2).max(maxFlowBytes), maxFlowBytes),
    flow_action: Joi.string().valid('navigate', 'data_exchange'),
    navigate_screen: Joi.string().min(1).max(200),
    icon: Joi.string().valid('DEFAULT', 'DOCUMENT', 'PROMOTION', 'REVIEW'),
  }),
  CATALOG: variant('catalog_button', { text: label.required() }),
  MPM: variant('products_button', { text: label.required() }),
});
