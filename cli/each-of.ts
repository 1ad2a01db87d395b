import { AppError } from '../src/platform/errors.ts';

/** One after the other, a line each. A refusal is printed, the others are still done, and the exit code is 1. */
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
