/** A place such as $4, in a regular expression or as what a call looks for; a place that is counted; a text of SQL that is cut up. */
const patterns = [
  /\\\$\(?(?:\?:)?(?:\\d|\[0-9|\[1-9|\d)/,
  /\.(?:replace|replaceAll|split|includes|indexOf|startsWith|endsWith)\(\s*['"`]\$(?:\d|['"`])/,
  /\$\$\{|['"`]\$['"`]\s*\+/,
  /\b\w*(?:sql|columns|statement|condition|clauses?)\.(?:replace|replaceAll|split|match|matchAll)\(/i,
];

/** The lines that take SQL text apart or number its parameters: a statement is made of functions of their places (PartText, Bind). */
export const splicedIn = (text: string): string[] =>
  text.split('\n').filter((line) => patterns.some((pattern) => pattern.test(line)));
