import { render } from 'preact';
import type { HostMessage } from '../src/protocol/wire.js';
import { App } from './app.js';
import { browserPorts, type VsCodeApi } from './browserPorts.js';
import { takeEarlyInput, type EarlyInput } from './early.js';
import { createColourCode } from './markdown/codeColours.js';
import { createParser } from './markdown/parser.js';
import { createSanitize } from './markdown/sanitize.js';
import { Guard } from './guard.js';
import { createPage, type Page } from './state.js';
import { registerElements } from './ui/register.js';

declare function acquireVsCodeApi(): VsCodeApi;

/** Draws the page, listens, and tells the host that it is there. */
function start(): void {
  const early = takeEarlyInput();
  registerElements();
  const page = createPage(browserPorts(acquireVsCodeApi()));
  const markdown = {
    parser: createParser(),
    sanitize: createSanitize(window),
    colour: createColourCode(CSS.highlights),
  };
  if (early) page.composer.begin(early.text, early.caret);
  window.addEventListener('error', (event) => page.host.report(event.error ?? event.message));
  window.addEventListener('unhandledrejection', (event) => page.host.report(event.reason));
  render(
    <Guard page={page}>
      <App tools={{ page, markdown }} />
    </Guard>,
    document.body,
  );
  // The line for a page whose script never comes.
  document.querySelector('.unloaded')?.remove();
  window.addEventListener('message', (event: MessageEvent<HostMessage>) => page.receive(event.data));
  focusComposerWithTheView(page);
  page.post({ type: 'ready' });
  if (early) goOn(page, early);
}

/** What was begun before the page was there goes on: the person keeps writing, or what they entered is sent. */
function goOn(page: Page, { hasFocus, isEntered }: EarlyInput): void {
  if (hasFocus) page.composer.focus();
  if (isEntered) page.send();
}

/**
 * VS Code gives the focus to the page as a whole (a click on the icon, a key): it goes on to the composer, unless it came by a click into the page or
 * something in it has it already.
 */
function focusComposerWithTheView(page: Page): void {
  let pressed = false;
  window.addEventListener('pointerdown', () => (pressed = true), true);
  window.addEventListener('pointerup', () => (pressed = false), true);
  window.addEventListener('focus', () => {
    page.post({ type: 'focused' });
    if (!pressed && document.activeElement === document.body) page.composer.focus();
  });
}

start();
