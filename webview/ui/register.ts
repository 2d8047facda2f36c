import { provideVSCodeDesignSystem, vsCodeButton, vsCodeTextArea, vsCodeTextField } from '@vscode/webview-ui-toolkit';

/** Makes the toolkit's elements known to the page. Call once, before the first component is drawn. */
export function registerElements(): void {
  provideVSCodeDesignSystem().register(vsCodeButton(), vsCodeTextArea(), vsCodeTextField());
}
