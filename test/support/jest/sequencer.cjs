const { readFileSync } = require('node:fs');
const { default: Sequencer } = require('@jest/test-sequencer');
const { appOf } = require('./kind.cjs');

/**
 * Files that share an application follow each other, so that a jest worker starts few of them; within a kind the largest is first. The order
 * does not depend on the runs before.
 */
module.exports = class ByApplication extends Sequencer {
  sort(tests) {
    const known = new Map(tests.map(({ path }) => [path, kindAndSize(path)]));
    return [...tests].sort(({ path: one }, { path: other }) => {
      const [a, b] = [known.get(one), known.get(other)];
      return a.rank - b.rank || a.kind.localeCompare(b.kind) || b.size - a.size || one.localeCompare(other);
    });
  }
};

function kindAndSize(path) {
  const text = readFileSync(path, 'utf8');
  const app = appOf(text);
  // What starts processes waits most, and is first, so that none of it is left alone in the end.
  const rank = /spawnNode|startPostgres|describeInBrowser/.test(text) ? 0 : app === undefined ? 2 : 1;
  return { rank, kind: app ?? '', size: text.length };
}
