/** Turndown for a DOM that is brought along; the other form brings a parser of its own. */
declare module 'turndown/lib/turndown.browser.es.js' {
  import TurndownService from 'turndown';
  export default TurndownService;
}
