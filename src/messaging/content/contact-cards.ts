import Joi from 'joi';
import { link, upToBytes } from './limits.ts';

const words = Joi.string().max(1_000);
const kind = Joi.string().max(100).description('e.g. HOME or WORK');
const several = (entry: Joi.ObjectSchema) => Joi.array().items(entry).max(20);

const name = Joi.object({
  formatted_name: words.required().description('The whole name, as the person sees it'),
  first_name: words,
  last_name: words,
  middle_name: words,
  prefix: words,
  suffix: words,
}).or('first_name', 'last_name', 'middle_name', 'prefix', 'suffix');

const address = Joi.object({
  street: words,
  city: words,
  state: words,
  zip: words,
  country: words,
  country_code: Joi.string().max(2),
  type: kind,
});

const card = Joi.object({
  name: name.required(),
  phones: several(
    Joi.object({
      phone: Joi.string().max(100).required(),
      type: kind,
      wa_id: Joi.string()
        .max(20)
        .pattern(/^\d+$/, 'digits')
        .description("The phone's id in the messaging app: with it the card offers to write to them"),
    }),
  ),
  emails: several(Joi.object({ email: Joi.string().max(320).required(), type: kind })),
  addresses: several(address),
  urls: several(Joi.object({ url: link.required(), type: kind })),
  org: Joi.object({ company: words, department: words, title: words }),
  birthday: Joi.string()
    .max(10)
    .pattern(/^\d{4}-\d\d-\d\d$/, 'YYYY-MM-DD'),
});

/** The provider's own limit is a number of cards: ten full ones of ours have about this size. */
const maxCardsBytes = 262_144;

export const contactCards = upToBytes(Joi.array().items(card).min(1).max(257), maxCardsBytes).description(
  'Cards of people, which the receiver can save',
);
