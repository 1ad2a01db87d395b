import type Joi from 'joi';
import { type ErrorDetail, fieldOf, maxDetails, type Path } from '../../platform/errors.ts';
import { anyZone } from '../../platform/schemas/moment.ts';
import { type SizeFault, sizesOf } from '../../platform/schemas/sizes.ts';

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

type Prepared = { schema: Joi.Schema; sizesIn: ReturnType<typeof sizesOf> };

/** Prepared once: given to each validation, Joi would compile the messages each time. */
function preparing(more: Joi.ValidationOptions): (schema: Joi.Schema) => Prepared {
  const prepared = new WeakMap<Joi.Schema, Prepared>();
  return (schema) => {
    const known = prepared.get(schema);
    if (known) return known;
    const made = { schema: schema.prefs({ ...preferences, ...more }), sizesIn: sizesOf(schema) };
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
  const prepared = asGiven(schema);
  const large = prepared.sizesIn(given).slice(0, maxDetails);
  if (large.length > 0) return { value: given, faults: large.map((one) => detailOfSize(one, path)) };
  const { value, error } = prepared.schema.validate(given);
  return { value, faults: (error?.details ?? []).map((item) => detailOf(item, path)) };
}

/** What is wrong with fields that are read by this schema later. `isFault`: what counts of it. */
export function faultsOf(schema: Joi.Schema, given: unknown, path: Path, isFault: (item: Item) => boolean): ErrorDetail[] {
  const prepared = asRead(schema);
  const large = prepared.sizesIn(given).slice(0, maxDetails);
  if (large.length > 0) return large.map((one) => detailOfSize(one, path));
  return (prepared.schema.validate(given, { context: anyZone }).error?.details ?? [])
    .filter(isFault)
    .map((item) => detailOf(item, path));
}

const detailOfSize = ({ path: at, code, what }: SizeFault, path: Path): ErrorDetail =>
  inBody([...path, ...at], code, `${fieldOf(at)} ${what}`.trim());

const detailOf = (item: Item, path: Path): ErrorDetail => inBody([...path, ...placeOf(item)], item.type, item.message);

/** For fields that depend on each other: the missing one, as Joi's rules give it in `missing`. */
function placeOf({ path, context }: Item): Path {
  const [missing]: string[] = Array.isArray(context?.missing) ? context.missing : [];
  return missing === undefined ? path : [...path, missing];
}
