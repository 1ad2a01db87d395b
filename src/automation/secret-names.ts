/** Of a secret, as an environment variable. */
export const secretName = /^[A-Z][A-Z0-9_]{0,62}$/;

const named = /\bsecrets\s*(?:\.\s*|\[\s*["'])([A-Z][A-Z0-9_]{0,62})(?![A-Za-z0-9_])/g;

/** The secrets that any text of a definition names, as in `{{ secrets.CRM_TOKEN }}`; a name of a field is a text, too. */
export function secretNamesIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string') for (const [, name] of value.matchAll(named)) found.add(name!);
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.entries(value).flat()) secretNamesIn(inner, found);
  return found;
}
