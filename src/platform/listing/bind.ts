export type Bind = (value: unknown) => string;

export const bindTo =
  (params: unknown[]): Bind =>
  (value) =>
    `$${params.push(value)}`;
