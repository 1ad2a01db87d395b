import { defineEntity, p } from '@mikro-orm/core';

/** The shape that rate-limiter-flexible reads and writes. */
export const LoginLimit = defineEntity({
  name: 'LoginLimit',
  tableName: 'login_limits',
  properties: {
    key: p.string().primary(),
    points: p.integer().default(0),
    /** Milliseconds of the epoch. */
    expire: p.bigint('string').strictNullable(),
  },
});
