import htm from 'htm';
import { h } from 'preact';

/** Templates become elements, never text that is parsed as HTML: data cannot bring markup. */
export const html = htm.bind(h);
