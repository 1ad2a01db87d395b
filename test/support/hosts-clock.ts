import { jest } from '@jest/globals';

const rightNow = Date.now;

/** Sets the host's clock, as this process reads it, until `mockRestore`. What time it is all the same: `rightNow`. */
export const hostIsAhead = (ms: number) => jest.spyOn(Date, 'now').mockImplementation(() => rightNow() + ms);

export { rightNow };
