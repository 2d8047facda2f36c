import { createRequire } from 'node:module';
import * as vscode from 'vscode';
import type { NodeWebParts } from '../platform/nodeWeb.js';
import { plain } from '../platform/plainText.js';
import type { Log, Mirror, Secrets, Ui } from '../platform/ports.js';
import { toUri } from './uris.js';

/**
 * The system's key store, as VS Code keeps it. A key is asked for once, which takes 5 to 10 ms, and again after it changed; one that is not there is
 * asked for each time, since not every change in another window is told.
 */
export function editorSecrets(storage: vscode.SecretStorage): Secrets & vscode.Disposable {
  const known = new Map<string, string>();
  const changes = storage.onDidChange(({ key }) => known.delete(key));
  return {
    get: async (name) => {
      const value = known.get(name) ?? (await storage.get(name));
      if (value !== undefined) known.set(name, value);
      return value;
    },
    set: async (name, value) => {
      await storage.store(name, value);
      known.delete(name);
    },
    delete: async (name) => {
      await storage.delete(name);
      known.delete(name);
    },
    dispose: () => {
      changes.dispose();
    },
  };
}

/** The `Nanobot` output channel. `mask` takes known forms of keys out of every line. */
export function editorLog(channel: vscode.LogOutputChannel, mask: (text: string) => string): Log {
  return {
    debug: (text) => {
      channel.debug(mask(text));
    },
    info: (text) => {
      channel.info(mask(text));
    },
    warn: (text) => {
      channel.warn(mask(text));
    },
    error: (text, cause) => {
      const detail =
        cause instanceof Error
          ? `\n${cause.stack ?? cause.message}`
          : cause === undefined
            ? ''
            : `\n${JSON.stringify(cause)}`;
      channel.error(mask(text + detail));
    },
  };
}

/** Notifications and terminals. */
export function editorUi(mirror: (sessionKey: string) => Mirror | undefined): Ui {
  return {
    channel: 'vscode',
    notify: async (level, text, actions = []) => {
      if (level === 'error') return vscode.window.showErrorMessage(plain(text), ...actions);
      if (level === 'warning') return vscode.window.showWarningMessage(plain(text), ...actions);
      return vscode.window.showInformationMessage(plain(text), ...actions);
    },
    open: async (target) => {
      if ('file' in target) await vscode.commands.executeCommand('vscode.open', toUri(target.file));
      else await vscode.commands.executeCommand('nanobot.openSession', target.chat);
    },
    mirror,
  };
}

/**
 * Node's http and https as VS Code gives them to extensions, with its settings for proxies and certificates. It does so for what is required under the bare
 * names only, not for what is imported.
 */
export function editorNetwork(): Pick<NodeWebParts, 'http' | 'https'> {
  const require = createRequire(import.meta.url);
  return {
    http: require('http') as NodeWebParts['http'] & object,
    https: require('https') as NodeWebParts['https'] & object,
  };
}
