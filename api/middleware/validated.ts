import type { Request } from 'express';
import Joi from 'joi';
import { AppError, type ErrorDetail, fieldOf, notFound, type Path } from '../../src/errors.ts';
import { sizesOf } from './sizes.ts';

type Segment = 'params' | 'query' | 'body';
type Rules = { params?: Record<string, Joi.Schema>; query?: Joi.Schema; body?: Joi.Schema; subject?: string };

const locations = { params: 'path', query: 'query', body: 'body' } as const;
/** Where Joi's own words are for programmers. */
const messages = {
  'object.xor': 'give one of {{#peersWithLabels}}, not several',
  'object.missing': 'give one of {{#peersWithLabels}}',
  'object.min': '{{#label}} must have at least one field',
  'string.guid': '{{#label}} must be a UUID',
};
const preferences: Joi.ValidationOptions = { abortEarly: false, errors: { wrap: { label: false } }, messages };

/**
 * Checks and converts what was sent, every fault of all segments at once; a malformed id in the path is nobody's. Joi without a layer
 * between: celebrate makes an error, its stack and a promise a segment before it knows of a fault.
 */
export function validated({ params, query, body, subject = 'Resource' }: Rules): (req: Request) => void {
  const compiled = (schema: Joi.Schema) => schema.prefs(preferences);
  const noQuery = query === undefined;
  const shapes = { query: query ?? Joi.object({}), ...(body && { body }) };
  const segments: { segment: Segment; schema: Joi.Schema; checkSizes?: (value: unknown) => void }[] = [
    ...(params ? [{ segment: 'params' as const, schema: compiled(Joi.object(params)) }] : []),
    ...(Object.entries(shapes) as ['query' | 'body', Joi.Schema][]).map(([segment, shape]) => ({
      segment,
      schema: compiled(shape.label(segment)),
      checkSizes: sizesOf(shape, segment),
    })),
  ];
  return (req) => {
    let faults: ErrorDetail[] | undefined;
    for (const { segment, schema, checkSizes } of segments) {
      if (segment === 'query' && noQuery && !req.url.includes('?')) continue;
      checkSizes?.(req[segment]);
      const { value, error } = schema.validate(req[segment]);
      if (!error) {
        // Express' query is a getter; what was converted must stand in its place.
        if (segment === 'query') Object.defineProperty(req, segment, { value });
        else req[segment] = value;
      } else if (segment === 'params') throw notFound(subject);
      else faults = [...(faults ?? []), ...error.details.map((item) => detailOf(item, locations[segment]))];
    }
    if (!faults) return;
    const message = faults.length === 1 ? faults[0]!.message : `${faults.length} fields are not valid`;
    throw new AppError('invalid_request', message, { details: faults });
  };
}

const detailOf = (item: Joi.ValidationErrorItem, location: string): ErrorDetail => {
  const field = fieldOf(placeOf(item));
  return { ...(field !== '' && { field }), location, code: item.type, message: hintFor(item) };
};

/** Of fields that go together it is the one that is missing, as Joi's own rules say in `missing`. */
const placeOf = ({ path, context }: Joi.ValidationErrorItem): Path => {
  const [missing]: string[] = Array.isArray(context?.missing) ? context.missing : [];
  return missing === undefined ? path : [...path, missing];
};

const hintFor = (item: Joi.ValidationErrorItem) =>
  item.type === 'object.unknown' && item.context?.key === 'offset' ? 'offset is not supported: page with cursor' : item.message;
