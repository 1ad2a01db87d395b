/**
 * People a day that a number may write to first, in one form: `tier_250`, `tier_1k`, `tier_unlimited`. Webhooks about an account have a
 * number, -1 for no limit, where all else has the tier.
 */
export function tierOf(given: string): string {
  const word = given.toLowerCase();
  if (/^-\d+$/.test(word)) return 'tier_unlimited';
  if (/^\d+000$/.test(word)) return `tier_${word.slice(0, -3)}k`;
  return /^(\d+k?|unlimited)$/.test(word) ? `tier_${word}` : word;
}
