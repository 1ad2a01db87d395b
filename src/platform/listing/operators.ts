export const equalities = ['eq', 'neq', 'in', 'not_in'] as const;
export const orders = ['gt', 'gte', 'lt', 'lte', 'between'] as const;
export const parts = ['contains', 'not_contains', 'starts_with', 'ends_with'] as const;
export const emptiness = ['is_empty', 'is_not_empty'] as const;
export const operators = [...equalities, ...orders, ...parts, ...emptiness] as const;
export type Operator = (typeof operators)[number];

export type Scalar = string | number | boolean;
