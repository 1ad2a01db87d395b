/** The options of the application that a test file uses, as text: files with the same share one. Undefined: it uses none. */
const appOf = (text) => /\buseApp\((.*)\)/.exec(text)?.[1];

module.exports = { appOf, usesApp: (text) => appOf(text) !== undefined };
