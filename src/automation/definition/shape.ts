import type Joi from 'joi';
import { type ErrorDetail, fieldOf, type Path } from '../../platform/errors.ts';
import { anyZone } from '../../platform/schemas/moment.ts';

export const inBody = (path: Path, code: string, message: string): ErrorDetail => ({
  field: fieldOf(path),
  location: 'body',
  code,
  message,
});

/** Plainer texts where Joi's are for programmers. */
const messages = {
  'object.xor': 'give one of {{#peersWithLabels}}, not several',
  'object.missing': 'give one of {{#peersWithLabels}}',
  'object.min': '{{#label}} must have at least one field',
  'string.pattern.name': '{{#label}} must be {{#name}}',
  'string.guid': '{{#label}} must be a UUID',
};
const preferences: Joi.ValidationOptions = { abortEarly: false, errors: { wrap: { label: false } }, messages };

/** Prepared once: given to each validation, Joi would compile the messages each time. */
function preparing(more: Joi.ValidationOptions): (schema: Joi.Schema) => Joi.Schema {
  const prepared = new WeakMap<Joi.Schema, Joi.Schema>();
  return (schema) => {
    const known = prepared.get(schema);
    if (known) return known;
    const made = schema.prefs({ ...preferences, ...more });
    prepared.set(schema, made);
    return made;
  };
}

// Joi would also make a list of a text in which one stands as JSON: far deeper, perhaps, than what was looked at.
const asGiven = preparing({ convert: false });
/** As the fields of an action are read when it runs. */
const asRead = preparing({});

type Item = Joi.ValidationErrorItem;

/** All that is wrong with a value by its schema, each at its place from `path` on. The value is as given, with the schema's defaults. */
export function shaped(schema: Joi.Schema, given: unknown, path: Path): { value: unknown; faults: ErrorDetail[] } {
  const { value, error } = asGiven(schema).validate(given);
  return { value, faults: (error?.details ?? []).map((item) => detailOf(item, path)) };
}

/** What is wrong with fields that are read by this schema later. `isFault`: what counts of it. */
export const faultsOf = (schema: Joi.Schema, given: unknown, path: Path, isFault: (item: Item) => boolean): ErrorDetail[] =>
  (asRead(schema).validate(given, { context: anyZone }).error?.details ?? []).filter(isFault).map((item) => detailOf(item, path));

const detailOf = (item: Item, path: Path): ErrorDetail => inBody([...path, ...placeOf(item)], item.type, item.message);

/** For fields that depend on each other: the missing one, as Joi's rules give it in `missing`. */
function placeOf({ path, context }: Item): Path {
  const [missing]: string[] = Array.isArray(context?.missing) ? context.missing : [];
  return missing === undefined ? path : [...path, missing];
}
