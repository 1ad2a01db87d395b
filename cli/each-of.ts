import { AppError } from '../src/platform/errors.ts';

/** One after the other, a line each. One that is refused is told, and the others are done all the same; exits 1 then. */
export async function eachOf(ids: string[], work: (id: string) => Promise<string>) {
  for (const id of ids) {
    try {
      console.log(await work(id));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      console.error(`${id}: ${error.message}`);
      process.exitCode = 1;
    }
  }
}
