import type { Json } from './fixtures.ts';

/** Not every object has them, and the sandbox's never do; or they are the account's own words. */
const notCompared = [
  'previous_category',
  'components',
  'country_code',
  'country_dial_code',
  'unified_cert_status',
  'host_platform',
  'username',
];

/** What an example has and an answer lacks, or has of another type. Of a list, each entry is held against the first. */
export function differences(example: Json, answer: Json, at = ''): string[] {
  if (Array.isArray(example)) {
    if (!Array.isArray(answer)) return [`${at} is no list`];
    return answer.length > 0 ? example.flatMap((one) => differences(one, answer[0], `${at}[]`)) : [];
  }
  if (typeof example === 'object' && example !== null) {
    const keys = Object.keys(example).filter((key) => !notCompared.includes(key));
    return keys.flatMap((key) =>
      key in (answer ?? {}) ? differences(example[key], answer[key], `${at}.${key}`) : [`${at}.${key} is missing`],
    );
  }
  return typeof example === typeof answer ? [] : [`${at} is ${typeof answer}, not ${typeof example}`];
}
