import Joi from 'joi';

export type View = {
  schema: Joi.Schema;
  example: unknown;
  /** Schemas in it that have a name in the document, itself included. */
  named: Record<string, Joi.Schema>;
};

/** A named one is put under `components`, once; an unnamed one stays where it is used. */
export function view(schema: Joi.Schema, example: unknown): View;
export function view(name: string, schema: Joi.Schema, example: unknown): View;
export function view(...given: [Joi.Schema, unknown] | [string, Joi.Schema, unknown]): View {
  if (given.length === 2) return { schema: given[0], example: given[1], named: {} };
  const [name, schema, example] = given;
  return { schema, example, named: { [name]: schema } };
}

/** The same, with an example that differs in some fields. */
export const withExample = (of: View, change: object): View => ({ ...of, example: { ...(of.example as object), ...change } });

/** With more fields, such as a secret shown once; it has no name. */
export const extended = (of: View, fields: Joi.SchemaMap, example: object): View => ({
  schema: (of.schema as Joi.ObjectSchema).keys(fields),
  example: { ...(of.example as object), ...example },
  named: {},
});

/** Single records are wrapped in `{data}` by many endpoints. */
export const wrapped = ({ schema, example, named }: View): View => ({
  schema: Joi.object({ data: schema.required() }),
  example: { data: example },
  named,
});
