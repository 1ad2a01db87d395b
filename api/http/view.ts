import Joi from 'joi';

/** What a reply looks like, and an example of it for the document. */
export type View = {
  schema: Joi.Schema;
  example: unknown;
  /** The records in it that the document knows by a name, itself among them. */
  named: Record<string, Joi.Schema>;
};

/** With a name it stands once in the document, under `components`; without one it stands where it is used. */
export function view(schema: Joi.Schema, example: unknown): View;
export function view(name: string, schema: Joi.Schema, example: unknown): View;
export function view(...given: [Joi.Schema, unknown] | [string, Joi.Schema, unknown]): View {
  if (given.length === 2) return { schema: given[0], example: given[1], named: {} };
  const [name, schema, example] = given;
  return { schema, example, named: { [name]: schema } };
}

/** The same, with an example that differs in some fields. */
export const withExample = (of: View, change: object): View => ({ ...of, example: { ...(of.example as object), ...change } });

/** With more fields, as a reply that shows a secret once; it has no name of its own. */
export const extended = (of: View, fields: Joi.SchemaMap, example: object): View => ({
  schema: (of.schema as Joi.ObjectSchema).keys(fields),
  example: { ...(of.example as object), ...example },
  named: {},
});

/** As single records come in many places: `{data}`. */
export const wrapped = ({ schema, example, named }: View): View => ({
  schema: Joi.object({ data: schema.required() }),
  example: { data: example },
  named,
});
