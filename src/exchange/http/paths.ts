/** Path templates as the router and as a 405 need them. */

/** Ids of the service are far shorter; a longer path parameter is a 404. */
export const MAX_PARAM_LENGTH = 256;

/** `{name}` of a template as the router spells it. */
export const routeUrl = (template: string): string => template.replace(/\{(\w+)\}/g, ':$1');

/** The template that `routeUrl` made this of. */
export const toTemplate = (url: string): string => url.replace(/:(\w+)/g, '{$1}');

/** Every method that some declaration serves under this path. */
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
