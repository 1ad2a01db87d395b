import { AppError, type ErrorDetail } from '../../platform/errors.ts';
import { type Field, isLeaving } from './definition.ts';
import { withOptions } from './field-rules.ts';
import type { Option } from './type.entity.ts';
import type { Values } from './values.ts';

/** By the option that leaves, the one that its records get; null: the value is emptied. */
export type Replacements = Map<string, string | null>;

export const leavingOf = ({ options }: Field): Replacements =>
  new Map(options.filter(isLeaving).map(({ value, replaced_by: by }) => [value, by ?? null]));

/** What `replace_with` names. `after`: the field with the options that stay. Throws one 422 with all that is wrong. */
export function replacementsOf(given: Record<string, string | null> = {}, before: Field, after: Field): Replacements {
  const kept = new Set(after.options.map(({ value }) => value));
  const known = new Set(withOptions.includes(after.type) ? before.options.map(({ value }) => value) : []);
  const details = Object.entries(given).flatMap(([value, target]): ErrorDetail[] => {
    const field = `replace_with.${value}`;
    const refuse = (code: string, message: string) => [
      { field, location: 'body' as const, code, message: `${field} ${message}` },
    ];
    if (!known.has(value) || kept.has(value)) return refuse('any.unknown', 'is no option that leaves with this change');
    if (target === null)
      return after.isRequired ? refuse('any.invalid', 'cannot be null: the field is required, so name an option') : [];
    return kept.has(target) ? [] : refuse('any.only', 'must be one of the options that stay');
  });
  if (details.length > 0)
    throw new AppError(
      'invalid_request',
      details.length === 1 ? details[0]!.message : `${details.length} options are not valid`,
      {
        details,
      },
    );
  return new Map(Object.entries(given));
}

/**
 * Those that leave already, with what their records get after a change of the options: one that is given again stays, and where the target
 * leaves, its own replacement counts. Throws 409 where the change leaves them without a target.
 */
export function stillLeaving(before: Field, after: Field, replacements: Replacements): Option[] {
  if (!withOptions.includes(after.type)) return [];
  const kept = new Set(after.options.filter((option) => !isLeaving(option)).map(({ value }) => value));
  return before.options
    .filter((option) => isLeaving(option) && !kept.has(option.value))
    .map((option) => {
      const own = replacements.get(option.value);
      const target = own === undefined ? (option.replaced_by ?? null) : own;
      if (target === null ? !after.isRequired : kept.has(target)) return { ...option, replaced_by: target };
      const next = target === null ? undefined : replacements.get(target);
      if (next === undefined)
        throw new AppError(
          'conflict',
          `Records are still getting ${target ?? 'no option'} for ${option.value}: name in replace_with what they get, or try again when that is done`,
        );
      return { ...option, replaced_by: next };
    });
}

/** A record's fields without the options that leave. */
export function withoutLeaving({ name }: Field, fields: Values, replacements: Replacements): Values {
  const value = fields[name];
  const { [name]: _, ...others } = fields;
  if (!Array.isArray(value)) {
    if (!replacements.has(value as string)) return fields;
    const target = replacements.get(value as string) ?? null;
    return target === null ? others : { ...others, [name]: target };
  }
  const left = new Set<string | null>(value.map((one: string) => (replacements.has(one) ? replacements.get(one)! : one)));
  left.delete(null);
  return left.size === 0 ? others : { ...others, [name]: [...left] };
}

/** For the containment of a record's fields, one each. */
export const heldBy = ({ name, type }: Field, values: Iterable<string>): string[] =>
  [...values].map((value) => JSON.stringify({ [name]: type === 'multi_select' ? [value] : value }));
