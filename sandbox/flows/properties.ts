import { isDynamic, isFields } from './faults.ts';

/** Undefined: the value is good. */
export type Check = (value: unknown) => string | undefined;

export interface Rules {
  required: Record<string, Check>;
  optional?: Record<string, Check>;
}

const expected = (kind: string, fits: (value: unknown) => boolean): Check => {
  return (value) => (isDynamic(value) || fits(value) ? undefined : `Expected property to be of type "${kind}"`);
};

/** Characters, not UTF-16 units: an emoji counts once. What the phone fills in is counted by nobody. */
export const text =
  (max: number, min = 1): Check =>
  (value) => {
    if (typeof value !== 'string') return 'Expected property to be of type "string"';
    if (isDynamic(value)) return undefined;
    const length = [...value].length;
    if (length < min) return 'Property value should not be empty';
    return length > max ? `Property value length should not exceed ${max} characters, got ${length}` : undefined;
  };

export const bool = expected('boolean', (value) => typeof value === 'boolean');
export const whole = expected('number', (value) => Number.isInteger(value) || (typeof value === 'string' && /^\d+$/.test(value)));
export const anything: Check = () => undefined;
export const oneOf =
  (...choices: string[]): Check =>
  (value) =>
    isDynamic(value) || choices.includes(value as string) ? undefined : `Value should be one of: [${choices.join(', ')}]`;
export const literally =
  (wanted: string): Check =>
  (value) =>
    value === wanted ? undefined : `Value should be "${wanted}"`;
export const name: Check = (value) =>
  typeof value === 'string' && /^\w[\w-]{0,79}$/.test(value) ? undefined : 'Name may have letters, digits, _ and - only';
export const fields: Check = (value) => (isFields(value) ? undefined : 'Expected property to be of type "object"');

/** What can be chosen: a list, or a text that names one. */
export const options =
  (min: number, max: number): Check =>
  (value) => {
    if (isDynamic(value)) return undefined;
    if (!Array.isArray(value)) return 'Expected property to be of type "array"';
    if (value.length < min || value.length > max) return `Expected ${min} to ${max} entries in data-source, got ${value.length}`;
    const ids = new Set<string>();
    for (const option of value) {
      if (!isFields(option) || typeof option.id !== 'string' || option.id === '') return 'Each entry of data-source needs an id';
      const fault = text(30)(option.title);
      if (fault) return `title: ${fault}`;
      if (ids.has(option.id)) return `Duplicate id "${option.id}" in data-source`;
      ids.add(option.id);
    }
    return undefined;
  };
