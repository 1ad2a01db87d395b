import { expect, test } from '@jest/globals';
import { createJoined } from '../../../../src/platform/load/joined.ts';

/** Runs that end when they are told to; each gives its number. */
function runs() {
  const ends: { resolve(): void; reject(error: Error): void }[] = [];
  const work = () => {
    const number = ends.length + 1;
    return new Promise<number>((resolve, reject) => ends.push({ resolve: () => resolve(number), reject }));
  };
  return { ends, work };
}
const turn = () => new Promise(setImmediate);

test('many who ask while a run is at work get the next one, which begins after they asked', async () => {
  const [join, { ends, work }] = [createJoined<number>(), runs()];
  const first = join('a', work);
  const others = Array.from({ length: 20 }, () => join('a', work));
  await turn();
  expect(ends).toHaveLength(1);
  ends[0]!.resolve();
  expect(await first).toBe(1);
  await turn();
  expect(ends).toHaveLength(2);
  const late = join('a', work);
  ends[1]!.resolve();
  expect(new Set(await Promise.all(others))).toEqual(new Set([2]));
  await turn();
  ends[2]!.resolve();
  expect(await late).toBe(3);
});

test('keys do not wait for each other, and one that is over begins anew', async () => {
  const [join, { ends, work }] = [createJoined<number>(), runs()];
  const [a, b] = [join('a', work), join('b', work)];
  await turn();
  expect(ends).toHaveLength(2);
  ends[1]!.resolve();
  expect(await b).toBe(2);
  const again = join('b', work);
  await turn();
  expect(ends).toHaveLength(3);
  for (const { resolve } of ends) resolve();
  expect(await Promise.all([a, again])).toEqual([1, 3]);
});

test('a run that fails fails for whom it was for: those after it have their own', async () => {
  const [join, { ends, work }] = [createJoined<number>(), runs()];
  const first = join('a', work);
  const second = join('a', work);
  await turn();
  ends[0]!.reject(new Error('cut'));
  await expect(first).rejects.toThrow('cut');
  await turn();
  ends[1]!.resolve();
  expect(await second).toBe(2);
});

test('a run that cannot begin leaves nothing behind', async () => {
  const [join, { ends, work }] = [createJoined<number>(), runs()];
  const begin = (): Promise<number> => {
    throw new Error('no');
  };
  const [first, second] = [join('a', begin), join('a', begin)];
  await expect(first).rejects.toThrow('no');
  await expect(second).rejects.toThrow('no');
  const third = join('a', work);
  await turn();
  ends[0]!.resolve();
  expect(await third).toBe(1);
});

test('whoever asks at the moment a run ends never runs beside the next one', async () => {
  const join = createJoined<number>();
  let [atWork, most, count] = [0, 0, 0];
  const work = async () => {
    atWork += 1;
    most = Math.max(most, atWork);
    await turn();
    atWork -= 1;
    count += 1;
    return count;
  };
  const asking = async () => {
    for (let time = 0; time < 20; time += 1) await join('a', work);
  };
  await Promise.all(Array.from({ length: 5 }, asking));
  expect(most).toBe(1);
});
