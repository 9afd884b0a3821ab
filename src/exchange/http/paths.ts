/** Path templates for the router and for a 405. */

/** The service's ids are far shorter; a longer path parameter is a 404. */
export const MAX_PARAM_LENGTH = 256;

/** `{name}` of a template in the router's spelling. */
export const routeUrl = (template: string): string => template.replace(/\{(\w+)\}/g, ':$1');

/** Inverse of `routeUrl`. */
export const toTemplate = (url: string): string => url.replace(/:(\w+)/g, '{$1}');

/** Every declared method of this path. */
export function listMethods(
  path: string,
  declarations: readonly { readonly method: string; readonly path: string }[],
): string[] {
  const segments = path.split('/');
  const matching = declarations.filter((declaration) => matches(segments, declaration.path.split('/')));
  return [...new Set(matching.map(({ method }) => method))];
}

const matches = (path: readonly string[], template: readonly string[]): boolean =>
  path.length === template.length &&
  template.every((segment, at) => (segment.startsWith('{') ? path[at] !== '' : segment === path[at]));
