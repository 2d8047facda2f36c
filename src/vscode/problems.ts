import * as vscode from 'vscode';
import type { Diagnostic } from '../platform/ports.js';
import { isPersonsFile } from './personsFile.js';
import { toPath, toUri } from './uris.js';

/** A language service that says nothing for so long after a write has nothing to say. Milliseconds, as all here. */
const firstWord = 600;
/** Language services report in several steps; this long without one means they are done. */
const quiet = 150;
const longestWait = 1_000;

/** The editor's problems, and when they last changed. */
export class Problems implements vscode.Disposable {
  private lastChange = 0;
  private lastWrite = 0;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly listener = vscode.languages.onDidChangeDiagnostics(() => {
    this.lastChange = performance.now();
    this.changed.fire();
  });

  dispose(): void {
    this.listener.dispose();
    this.changed.dispose();
  }

  /** Must be called when a file was written: what comes later is its consequence. */
  noteWrite(): void {
    this.lastWrite = performance.now();
  }

  /** Of these files, or of all. */
  list(paths?: string[]): Diagnostic[] {
    const byFile = paths
      ? paths.map((path): [vscode.Uri, vscode.Diagnostic[]] => [
          toUri(path),
          vscode.languages.getDiagnostics(toUri(path)),
        ])
      : vscode.languages.getDiagnostics().filter(([uri]) => isPersonsFile(uri));
    return byFile.flatMap(([uri, diagnostics]) => diagnostics.map((one) => toDiagnostic(uri, one)));
  }

  /** Counts over all files, without making a list of them. */
  counts(): { errors: number; warnings: number } {
    const counts = { errors: 0, warnings: 0 };
    for (const [uri, diagnostics] of vscode.languages.getDiagnostics()) {
      if (!isPersonsFile(uri)) continue;
      for (const { severity } of diagnostics) {
        if (severity === vscode.DiagnosticSeverity.Error) counts.errors++;
        else if (severity === vscode.DiagnosticSeverity.Warning) counts.warnings++;
      }
    }
    return counts;
  }

  /** Waits until language services seem to be done with the last write: at most a second, less if they stay silent. */
  async settle(signal?: AbortSignal): Promise<void> {
    const start = performance.now();
    while (!signal?.aborted) {
      const now = performance.now();
      const spoke = this.lastChange >= this.lastWrite && this.lastWrite > 0;
      const until = Math.min(start + longestWait, spoke ? this.lastChange + quiet : this.lastWrite + firstWord);
      if (now >= until) return;
      await this.changeOr(until - now, signal);
    }
  }

  private changeOr(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        listener.dispose();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      const listener = this.changed.event(done);
      signal?.addEventListener('abort', done);
    });
  }
}

const severities = ['error', 'warning', 'info', 'hint'] as const;

function toDiagnostic(uri: vscode.Uri, diagnostic: vscode.Diagnostic): Diagnostic {
  const { range, severity, message, source, code } = diagnostic;
  const id = typeof code === 'object' ? code.value : code;
  const origin = [source, id === undefined ? undefined : `(${id})`].filter((part) => part !== undefined).join('');
  return {
    path: toPath(uri),
    line: range.start.line + 1,
    column: range.start.character + 1,
    severity: severities[severity] ?? 'error',
    message,
    ...(origin === '' ? {} : { source: origin }),
  };
}
