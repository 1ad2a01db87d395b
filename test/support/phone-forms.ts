import { fc } from './fast-check.ts';

const digits = (length: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map((some) => some.join(''));
const among = (...texts: string[]) => fc.constantFrom(...texts);

/** Both forms of a phone, in digits, of each country that has two. */
export type Forms = { long: string; short: string };
export const formsOf: Record<string, fc.Arbitrary<Forms>> = {
  Brazil: fc
    .tuple(among('11', '21', '31', '47', '85'), among('6', '7', '8', '9'), digits(7))
    .map(([area, first, rest]) => ({ long: `55${area}9${first}${rest}`, short: `55${area}${first}${rest}` })),
  Mexico: fc.tuple(among('55', '33', '81', '999'), digits(8)).map(([area, rest]) => {
    const number = `${area}${rest}`.slice(0, 10);
    return { long: `521${number}`, short: `52${number}` };
  }),
  Argentina: fc.tuple(among('11', '221', '351'), digits(8)).map(([area, rest]) => {
    const number = `${area}${rest}`.slice(0, 10);
    return { long: `549${number}`, short: `54${number}` };
  }),
  'Ivory Coast': fc
    .tuple(among('0', '4', '5', '6', '7', '8', '9'), fc.integer({ min: 0, max: 9 }), digits(6))
    .map(([first, network, rest]) => ({
      long: `225${network < 4 ? '01' : network < 7 ? '05' : '07'}${first}${network}${rest}`,
      short: `225${first}${network}${rest}`,
    })),
  Benin: fc
    .tuple(among('4', '5', '6', '9'), digits(7))
    .map(([first, rest]) => ({ long: `22901${first}${rest}`, short: `229${first}${rest}` })),
};
