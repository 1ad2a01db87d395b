import type { Options, Path } from './path.ts';
import type { Measured } from './report.ts';
import type { Stage } from './stage.ts';

export async function measureInTurns(path: Path, stage: Stage, rounds: number, options: Options): Promise<Measured> {
  await stage.receiver.process.ask({ secret: stage.kanal.tenant.endpointSecret, reset: true });
  const { round, close } = await path.open(stage, options);
  const result: Measured = { path, kanal: [], floor: [] };
  try {
    for (let number = 0; number < rounds; number += 1)
      // Whoever goes first in a pair changes, so that what drifts on the machine meets both alike.
      for (const name of number % 2 === 0 ? (['kanal', 'floor'] as const) : (['floor', 'kanal'] as const))
        result[name].push(await round(stage[name]));
  } finally {
    await close();
  }
  return result;
}
