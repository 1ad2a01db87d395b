import type Joi from 'joi';
import type { ErrorDetail, Path } from '../../platform/errors.ts';
import { hasLiquid } from '../actions/faults.ts';
import { faultsOf } from './shape.ts';

/** They count what is there, and which names: no value changes that. */
const ofPresence =
  /^(any\.(required|unknown)|object\.(unknown|base|missing|xor|oxor|and|nand|with|without|min|max|length)|array\.(base|min|max|length))$/;
/** Of a whole that is no object or list: Liquid may give one. */
const ofKind = /^(object|array)\.base$/;

/** What is wrong with fields whatever their Liquid texts give: a text, a number, a boolean or a list may be Liquid, a name may not. */
export const faultsAroundLiquid = (schema: Joi.ObjectSchema, fields: Record<string, unknown>, path: Path): ErrorDetail[] =>
  faultsOf(schema, fields, path, ({ type, path: at }) => {
    const value = valueAt(fields, at);
    if (!hasLiquid(value)) return true;
    return ofPresence.test(type) && !(ofKind.test(type) && typeof value === 'string');
  });

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (whole, step) => (whole !== null && typeof whole === 'object' ? (whole as Record<string, unknown>)[step] : undefined),
    value,
  );
