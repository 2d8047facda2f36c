/**
 * A text for a notification, which makes links of Markdown ones, also of those to commands, and a link's words can lie about where it leads: it is shown as it
 * is written. For whatever a model, an endpoint, a page or a file may have put into it.
 */
export function plain(text: string): string {
  return text.replaceAll('](', '] (');
}
