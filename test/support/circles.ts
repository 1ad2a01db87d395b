/** Circles in a graph of imports, one for each import that closes one, written as its way round. */
export function circlesOf(imports: Map<string, string[]>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, way: string[]) => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' -> '));
    if (done.has(file) || way.includes(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...way, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return circles;
}

/** The domains of `src/` and what joins them (`src/*.ts`), each with those it imports, by the imports of their files. */
export function domainsOf(imports: Map<string, string[]>): Map<string, string[]> {
  const domains = new Map<string, Set<string>>();
  for (const [file, targets] of imports) {
    const from = domainOf(file);
    if (!from) continue;
    const known = domains.get(from) ?? new Set();
    domains.set(from, known);
    for (const to of targets.map(domainOf)) if (to && to !== from) known.add(to);
  }
  return new Map([...domains].map(([domain, known]) => [domain, [...known]]));
}

const domainOf = (file: string) => /^src\/([^/]+)/.exec(file)?.[1];
