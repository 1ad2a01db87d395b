/** Beside those of the lists. */
export const withinHours = 'within_business_hours';
export const changes = ['changed', 'changed_from', 'changed_to'] as const;
export type Change = (typeof changes)[number];
export const isChange = (operator: string): operator is Change => (changes as readonly string[]).includes(operator);

/** The one field that is of no root: the moment at which the conditions are asked. */
export const now = 'now';
