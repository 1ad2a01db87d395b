import Joi from 'joi';

type Variant = { name: string; schema: Joi.ObjectSchema };
export type Union = { discriminator: string; variants: Record<string, Variant>; schema: Joi.AlternativesSchema };

/** All that were made, for the document: Joi's own JSON Schema tells neither their names nor what they are told apart by. */
export const unions: Union[] = [];

/** Far more fields than any variant has. */
const maxFields = 100;

/** One of several objects, told apart by the value of one field. `of`: by that value, each with its name in the document. */
export function variantsBy(discriminator: string, of: Record<string, Variant>): Joi.AlternativesSchema {
  const entries = Object.entries(of).map(([value, { name, schema }]): [string, Variant] => [
    value,
    { name, schema: schema.append({ [discriminator]: Joi.string().valid(value).required() }) },
  ]);
  const values = Joi.string()
    .valid(...Object.keys(of))
    .required();
  const schema = Joi.alternatives().conditional(`.${discriminator}`, {
    // biome-ignore lint/suspicious/noThenProperty: Joi's own word
    switch: entries.map(([value, variant]) => ({ is: value, then: variant.schema })),
    otherwise: Joi.object({ [discriminator]: values })
      .unknown()
      .max(maxFields),
  });
  unions.push({ discriminator, variants: Object.fromEntries(entries), schema });
  return schema;
}
