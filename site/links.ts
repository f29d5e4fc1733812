// Finds dead links in the site as it will be published: pages of the generator, the API reference and the page side by side.
import path from 'node:path';

/** The HTML of a page without scripts, in which a tag is only text. */
const markup = (html: string): string => html.replace(/<script\b[^>]*>[^]*?<\/script>/g, '');

const decoded = (text: string): string => decodeURIComponent(text.replaceAll('&amp;', '&'));

const attributes = (html: string, name: string): readonly string[] =>
  [...html.matchAll(new RegExp(`<[a-z][^>]*?\\s${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value);

/** The anchors of a page. */
const anchorsIn = (html: string): ReadonlySet<string> =>
  new Set([...attributes(html, 'id'), ...attributes(html, 'name')].map(decoded));

/** Files of a site by their path, with their text if they are HTML. */
export type Site = ReadonlyMap<string, string>;

/** The links of a site that lead nowhere, as `page: link`. Links to other sites are not followed. */
export function deadLinks(site: Site, base: string): readonly string[] {
  const anchors = new Map<string, ReadonlySet<string>>();
  const anchorsOf = (file: string): ReadonlySet<string> => {
    const known = anchors.get(file) ?? anchorsIn(markup(site.get(file) ?? ''));
    anchors.set(file, known);
    return known;
  };
  /** The file behind a path, as static hosts find it; undefined if there is none. */
  const fileAt = (place: string): string | undefined =>
    [place, `${place}.html`, path.posix.join(place, 'index.html')].find((file) => site.has(file));
  const dead: string[] = [];
  for (const [page, html] of site) {
    if (!page.endsWith('.html')) continue;
    const links = new Set([...attributes(markup(html), 'href'), ...attributes(markup(html), 'src')]);
    for (const link of links) {
      if (/^([a-z]+:|\/\/)/.test(link)) continue;
      const [, to = '', anchor = ''] = /^([^#?]*)(?:\?[^#]*)?(?:#(.*))?$/.exec(link) ?? [];
      const target = resolved(page, decoded(to), base);
      const file = target === undefined ? undefined : fileAt(target);
      const found =
        file !== undefined &&
        (anchor === '' || !file.endsWith('.html') || anchorsOf(file).has(decoded(anchor)));
      if (!found) dead.push(`${page}: ${link}`);
    }
  }
  return dead;
}

/** The path on a site that a link of a page names; undefined if it leaves the site. */
function resolved(page: string, to: string, base: string): string | undefined {
  if (to === '') return page;
  if (to.startsWith('/'))
    return to.startsWith(base) ? path.posix.normalize(to.slice(base.length)) : undefined;
  const place = path.posix.join(path.posix.dirname(page), to);
  return place.startsWith('..') ? undefined : place;
}
