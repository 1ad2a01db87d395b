import { useRef } from 'preact/hooks';
import { useAction } from './loading.js';
import { Refused, valuesOf } from './parts.js';
import { html } from './view.js';

/**
 * A button that asks first, in a dialog of the browser's own: it keeps the focus inside, ends with Escape and gives the focus back.
 * `act(values, form)` gets what the form holds; the dialog stays open with what it was refused with.
 */
export function Asking({ label, title = label, action = label, isDanger = false, isSecond = true, about, act, children }) {
  const dialog = useRef();
  const { isBusy, problem, run, clear } = useAction(async (form) => {
    await act(valuesOf(form), form);
    dialog.current?.close();
  });
  const open = () => {
    clear();
    dialog.current.showModal();
  };
  const submit = (event) => {
    event.preventDefault();
    run(event.currentTarget);
  };
  return html`
    <button type="button" class=${isSecond ? 'second' : ''} aria-haspopup="dialog" aria-label=${about && `${label}: ${about}`} onClick=${open}>
      ${label}
    </button>
    <dialog ref=${dialog} aria-label=${title}>
      <form onSubmit=${submit}>
        <h2>${title}</h2>
        ${children}
        <${Refused} problem=${problem} />
        <p class="actions">
          <button type="submit" class=${isDanger ? 'danger' : ''} disabled=${isBusy}>${action}</button>
          <button type="button" class="second" onClick=${() => dialog.current.close()}>Back</button>
        </p>
      </form>
    </dialog>
  `;
}

/** A button that acts at once. */
export function Acting({ label, about, act, isSecond = false }) {
  const { isBusy, problem, run } = useAction(act);
  return html`
    <button type="button" class=${isSecond ? 'second' : ''} disabled=${isBusy} aria-label=${about && `${label}: ${about}`} onClick=${() => run()}>
      ${label}
    </button>
    <${Refused} problem=${problem} />
  `;
}
