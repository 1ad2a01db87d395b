import { celebrate, isCelebrateError, Modes } from 'celebrate';
import type { Request, Response } from 'express';
import Joi from 'joi';
import { AppError, type ErrorDetail, fieldOf, maxDetails, notFound, type Path } from '../../../src/platform/errors.ts';
import { type SizeFault, sizesOf } from '../../../src/platform/schemas/sizes.ts';
import type { Deps } from '../endpoint.ts';
import { storedContext } from './stored-context.ts';

type Segment = 'params' | 'query' | 'body';
type Rules = {
  params?: Record<string, Joi.Schema>;
  query?: Joi.Schema;
  body?: Joi.Schema;
  subject?: string;
  /** What was refused may be validated once more, with what is stored. */
  deps?: Deps;
};

const locations = { params: 'path', query: 'query', body: 'body' } as const;
/** Plainer texts where Joi's are for programmers. */
const messages = {
  'object.xor': 'give one of {{#peersWithLabels}}, not several',
  'object.missing': 'give one of {{#peersWithLabels}}',
  'object.min': '{{#label}} must have at least one field',
  'string.guid': '{{#label}} must be a UUID',
};
const preferences: Joi.ValidationOptions = { abortEarly: false, errors: { wrap: { label: false } }, messages };

type Check = { segment: Segment; faultOf(req: Request, res: Response): Promise<Joi.ValidationError | undefined> };

/** Undefined: nothing to check. One middleware per segment: in partial mode celebrate stops at the first faulty segment. */
export function validated({
  params,
  query,
  body,
  subject = 'Resource',
  deps,
}: Rules): (req: Request, res: Response) => Promise<void> | undefined {
  const inPath = params && checkOf('params', Joi.object(params));
  const sent = (['query', 'body'] as const).flatMap((segment) => {
    const shape = segment === 'query' ? (query ?? Joi.object({})) : body;
    return shape
      ? [
          {
            ...checkOf(segment, shape.label(segment), deps && storedContext(deps)),
            sizesIn: sizesOf(shape),
          },
        ]
      : [];
  });
  const isOpen = query === undefined || takesNothing(query);
  // Express parses the query when it is read.
  const isAsked = ({ segment }: Check, req: Request) => segment !== 'query' || !isOpen || req.url.includes('?');

  async function check(req: Request, res: Response, asked: typeof sent) {
    if (inPath && (await inPath.faultOf(req, res))) throw notFound(subject);
    const faults: ErrorDetail[] = [];
    for (const one of asked) {
      assertSizes(one.sizesIn(req[one.segment]), locations[one.segment]);
      const fault = await one.faultOf(req, res);
      if (fault) faults.push(...fault.details.map((item) => detailOf(item, locations[one.segment])));
    }
    if (faults.length === 0) return;
    const message = faults.length === 1 ? faults[0]!.message : `${faults.length} fields are not valid`;
    throw new AppError('invalid_request', message, { details: faults });
  }

  return (req, res) => {
    const asked = sent.filter((one) => isAsked(one, req));
    return inPath || asked.length > 0 ? check(req, res, asked) : undefined;
  };
}

function assertSizes(faults: SizeFault[], location: string): void {
  const details = faults.slice(0, maxDetails).map(({ path, code, what }): ErrorDetail => {
    const field = fieldOf(path);
    return { ...(field && { field }), location, code, message: `${field || location} ${what}` };
  });
  if (details.length === 0) return;
  const message = faults.length === 1 ? details[0]!.message : `${faults.length} fields are not allowed`;
  throw new AppError('invalid_request', message, { details });
}

/** Nothing is required and nothing set by default: where nothing is sent, there is nothing to check. */
function takesNothing(schema: Joi.Schema): boolean {
  const { error, value } = schema.validate({});
  return !error && Object.keys(value).length === 0;
}

/** The preferences are the schema's own: given to celebrate, Joi would compile its messages for each request. */
function checkOf<Name extends Segment>(
  segment: Name,
  schema: Joi.Schema,
  contextAfter?: ReturnType<typeof storedContext>,
): Check & { segment: Name } {
  const preferred = schema.prefs(preferences);
  const middleware = celebrate({ [segment]: preferred }, {}, { mode: Modes.PARTIAL });
  const faultOf = (req: Request, res: Response) =>
    new Promise<Joi.ValidationError | undefined>((resolve, reject) => {
      middleware(req, res, (error?: unknown) => {
        if (!error) return resolve(undefined);
        const fault = isCelebrateError(error) ? error.details.get(segment) : error;
        // What a schema throws by itself is our own fault.
        if (Joi.isError(fault)) resolve(fault);
        else reject(fault);
      });
    });
  return {
    segment,
    async faultOf(req, res) {
      const fault = await faultOf(req, res);
      const context = fault && (await contextAfter?.(fault, res));
      if (!context) return fault;
      const { value, error } = preferred.validate(req[segment], { context });
      // Express' query is a getter.
      if (!error) Object.defineProperty(req, segment, { value, writable: true, configurable: true, enumerable: true });
      return error;
    },
  };
}

const detailOf = (item: Joi.ValidationErrorItem, location: string): ErrorDetail => {
  const field = fieldOf(placeOf(item));
  return { ...(field !== '' && { field }), location, code: item.type, message: hintFor(item) };
};

/** For fields that depend on each other: the missing one, as Joi's rules give it in `missing`. */
const placeOf = ({ path, context }: Joi.ValidationErrorItem): Path => {
  const [missing]: string[] = Array.isArray(context?.missing) ? context.missing : [];
  return missing === undefined ? path : [...path, missing];
};

const hintFor = (item: Joi.ValidationErrorItem) =>
  item.type === 'object.unknown' && item.context?.key === 'offset' ? 'offset is not supported: page with cursor' : item.message;
