/** Takes a value of a statement and gives its placeholder. */
export type Bind = (value: unknown) => string;

/** Placeholders for values that are added to `params`, in the order of the calls. */
export const bindTo =
  (params: unknown[]): Bind =>
  (value) =>
    `$${params.push(value)}`;
