import Joi from 'joi';
import { upToBytes } from './limits.ts';

export const text = Joi.object({
  body: Joi.string()
    .min(1)
    .max(4096)
    .pattern(/\S/, 'more than white space')
    .required()
    .description('What the person reads, taken as sent'),
  preview_url: Joi.boolean().strict().description('Show a preview of the first link'),
});

/** A header, a body, ten buttons, and a carousel or an offer. */
const maxComponents = 14;
/** Twice the size of ten full carousel cards. */
const maxComponentsBytes = 65_536;

export const sentComponents = upToBytes(
  Joi.array().items(Joi.object().unknown().max(20)).max(maxComponents),
  maxComponentsBytes,
).description(
  "Parameters of the template's header, body and buttons, in the provider's form; checked against the template. A file may be named by `asset_id` in place of `id` or `link`",
);

export const template = Joi.object({
  name: Joi.string().trim().min(1).max(512).required(),
  language: Joi.string().trim().min(2).max(15).required().description('e.g. en_US'),
  components: sentComponents,
});
