import { useEffect, useState } from 'preact/hooks';

const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const isId = (text) => idPattern.test(text);

/** `#/deliveries/<id>?state=failed`. Behind the #, so that nothing of it goes to a server. */
function read() {
  const [path, search] = location.hash.replace(/^#\/?/, '').split('?');
  const [place = '', id] = path.split('/');
  // An id becomes part of an address of the API: nothing else may.
  return { path, place: id === undefined || isId(id) ? place : 'unknown', id, query: new URLSearchParams(search) };
}

export function useRoute() {
  const [route, set] = useState(read);
  useEffect(() => {
    const change = () => set(read());
    addEventListener('hashchange', change);
    return () => removeEventListener('hashchange', change);
  }, []);
  return route;
}

export const go = (path) => {
  location.hash = `#/${path}`;
};

/** Filters are part of the address, to be sent to a colleague; they are no step to go back by. */
export function filterBy(path, filters) {
  const search = new URLSearchParams(Object.entries(filters).filter(([, value]) => value)).toString();
  location.replace(`#/${path}${search && `?${search}`}`);
}
