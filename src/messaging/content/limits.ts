import Joi from 'joi';

const byteMessages = { 'json.size': '{{#label}} must not be larger than {{#maxBytes}} bytes as JSON' };

/** Bounds a value of many optional parts by what it takes to store. */
export const upToBytes = <Schema extends Joi.Schema>(schema: Schema, maxBytes: number): Schema =>
  schema
    .custom((value: unknown, { error }) =>
      Buffer.byteLength(JSON.stringify(value)) > maxBytes ? error('json.size', { maxBytes }) : value,
    )
    .messages(byteMessages) as Schema;

type Listed = { [name: string]: unknown };

/**
 * For sections: `max` entries in all of them together, a title where there are several, and with `key` a value that no two entries share.
 * `items`: the name of the list in a section.
 */
export const sectionsOf = (item: Joi.ObjectSchema, { items, max, key }: { items: string; max: number; key?: string }) =>
  Joi.array()
    .items(
      Joi.object({
        title: Joi.string().max(24).description('Required where there are several sections'),
        [items]: Joi.array().items(item).min(1).max(max).required(),
      }),
    )
    .min(1)
    .max(10)
    .required()
    .custom((sections: Listed[], { error }) => {
      const all = sections.flatMap((section) => section[items] as Listed[]);
      if (sections.length > 1 && sections.some(({ title }) => !title)) return error('sections.title');
      if (all.length > max) return error('sections.max', { max, items });
      if (key && new Set(all.map((one) => one[key])).size < all.length) return error('sections.unique', { key, items });
      return sections;
    })
    .messages({
      'sections.title': '{{#label}} must each have a title where there are several',
      'sections.max': '{{#label}} must have at most {{#max}} {{#items}} together',
      'sections.unique': '{{#label}} must not have two {{#items}} with the same {{#key}}',
    });

export const link = Joi.string()
  .max(2_000)
  .uri({ scheme: ['http', 'https'] });
