import { setTimeout as sleep } from 'node:timers/promises';
import { answered } from '../answered.ts';
import { account, type Stack } from '../stack.ts';

/** The rules that the person of this number is for, beside the one of all. */
const isAgain = (number: number) => number % 5 === 0;
const isLater = (number: number) => number % 5 === 1;
/** They write to us; all others are made through the API. */
const isHeard = (number: number) => number % 4 === 3;

const nameOf = (number: number) => `Person ${number}${isAgain(number) ? ' again' : ''}${isLater(number) ? ' later' : ''}`;

export const expectedRuns = (count: number) => {
  const numbers = Array.from({ length: count }, (_, number) => number);
  return {
    once: count,
    again: numbers.filter(isAgain).length,
    later: numbers.filter(isLater).length,
    heard: numbers.filter(isHeard).length,
  };
};

async function writes(stack: Stack, number: number) {
  const phone = String(16_500_000_000 + number);
  await stack.control('POST', '/inbound', {
    phone_number_id: account.phone_number_id,
    message: { type: 'text', text: { body: 'Hello there' } },
    contact: { profile: { name: nameOf(number) }, wa_id: phone },
  });
}

async function add(stack: Stack, number: number) {
  const body = { name: nameOf(number), external_source: 'crash', external_id: String(number) };
  const { status, body: reply } = await answered(stack, 'POST', '/v1/contacts', body);
  if (status !== 201) throw new Error(`contact ${number}: ${status} ${JSON.stringify(reply)}`);
}

/** Ten at once, never far ahead of what is `done` (from 0 to 1): what comes meets the faults too. */
export async function addPeople(stack: Stack, count: number, done: () => number): Promise<void> {
  let next = 0;
  const aheadOf = () => count * (done() + 0.2) + 20;
  async function client() {
    while (next < count) {
      const number = next;
      next += 1;
      while (number > aheadOf()) await sleep(20);
      await (isHeard(number) ? writes(stack, number) : add(stack, number));
    }
  }
  await Promise.all(Array.from({ length: 10 }, client));
}
